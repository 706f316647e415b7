"""The ten lines work in a notebook: executed by a real kernel, with pictures, tables and progress bars as output."""

from typing import Any

import nbformat
import pytest
from commands import environment
from nbclient import NotebookClient

from kbe_graph import demo

CELLS = (
    "import kbe_graph as kbe\nwork = kbe.Workspace('W')",
    "work.load({samples!r}, name='demo', split='demo')",
    "work.extract(scene_graphs={scene_graphs!r})",
    "run = work.evolve(hops=3, seed=0, limit=12)",
    "for question in run.questions(hop=2):\n    print(question.text, '->', question.answer)",
    "work.sample('demo/demo/107438-country')",
    "run.statistics()",
    "work.graph.cypher('MATCH (q:Question {{hop: 2}}) RETURN q.text LIMIT 5')",
    "run.export('evolved.jsonl')",
    "run.questions()",
    "run",
    "work = kbe.Workspace('W')\nlen(work.questions(run='raw'))",  # the first cell again
    "run.questions(hop=2)[0]",
)


def run_cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Run the cells, and return them with their outputs."""
    folder = tmp_path_factory.mktemp("notebook")
    files = {"samples": str(demo().samples), "scene_graphs": str(demo().scene_graphs)}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.format(**files)) for cell in CELLS])
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}, kernel_name="python3")
    client.execute(env=environment())
    assert (folder / "evolved.jsonl").read_text().count("\n") > 57
    return list(notebook.cells)


def shown(cell: Any) -> str:
    """Return what a notebook shows under a cell: HTML where there is some, else text."""
    parts = [output.get("data", {"text/plain": output.get("text", "")}) for output in cell.outputs]
    return "".join(part.get("text/html", part.get("text/plain", "")) for part in parts)


@pytest.mark.ci
def test_the_lines_show_pictures_tables_and_bars(tmp_path_factory: pytest.TempPathFactory) -> None:
    cells = run_cells(tmp_path_factory)
    assert "extract: 57/57" in shown(cells[2])
    assert "? -> " in shown(cells[4])
    sample = shown(cells[5])
    assert sample.count('src="data:image/jpeg;base64,/9j/') == 1
    assert "IMAGE -[depicts]-&gt; SCENE" in sample
    assert all("<table" in shown(cells[place]) for place in (6, 7, 9))
    assert shown(cells[11]) == "57"
    assert 'aria-label="IMAGE -[' in shown(cells[12])
