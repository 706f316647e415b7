"""The notebook that asks a benchmark what it knows runs from its first cell to its last."""

import json
from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "what-does-it-know.ipynb"


@pytest.mark.ci
def test_it_runs_and_shows_frames_plots_and_paths() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    data = [output["data"] for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
    assert sum("image/png" in each for each in data) == 6
    pages = "".join("".join(each.get("text/html", "")) for each in data)
    assert "distinct relations" in pages
    assert ">hop 2" in pages
    assert 'aria-label="IMAGE -[' in pages


def test_it_is_stored_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    assert [cell["source"] for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []
