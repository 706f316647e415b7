"""The tutorial runs from its first cell to its last."""

import json
from pathlib import Path

import nbclient
import nbformat
import pytest

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


@pytest.mark.ci
def test_the_tutorial_runs_and_shows_picture_and_path() -> None:
    notebook = nbformat.read(TUTORIAL, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = json.dumps([cell.outputs for cell in notebook.cells if cell.cell_type == "code"])
    assert "<img" in shown
    assert "In which country is this crosswalk?" in shown
    assert "distinct relations" in shown


def test_the_tutorial_is_stored_without_outputs() -> None:
    cells = json.loads(TUTORIAL.read_text())["cells"]
    assert [cell["source"] for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []
