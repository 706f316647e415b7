"""The notebooks run from their first cell to their last, and are stored without outputs."""

import json
from pathlib import Path

import nbclient
import nbformat
import pytest

DOCS = Path(__file__).parents[2] / "docs"
SHOWN = {
    "tutorial": ("<img", "In which country is this crosswalk?", "distinct relations"),
    "what-does-it-know": ("image/png", "distinct relations", ">hop 2", "IMAGE -["),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs_and_shows_pictures_tables_and_paths(name: str) -> None:
    notebook = nbformat.read(DOCS / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = json.dumps([cell.outputs for cell in notebook.cells if cell.cell_type == "code"])
    assert [text for text in SHOWN[name] if text not in shown] == []


def test_notebooks_are_stored_without_outputs() -> None:
    for file in DOCS.glob("*.ipynb"):
        cells = json.loads(file.read_text())["cells"]
        assert [cell["source"] for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []
