"""The ten lines work in a notebook: executed by a real kernel, with pictures, tables and progress bars as output."""

import re
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
    "work",
)


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The cells with their outputs."""
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


def test_questions_are_printed(cells: list[Any]) -> None:
    assert "? -> " in shown(cells[4])


def test_a_sample_shows_its_picture_questions_and_paths(cells: list[Any]) -> None:
    html = shown(cells[5])
    assert html.count('src="data:image/jpeg;base64,/9j/') == 1
    assert "In which country is the visitor centre on the sign?" in html
    assert "IMAGE -[depicts]-&gt; SCENE" in html


def test_work_shows_bars_that_come_to_their_end(cells: list[Any]) -> None:
    assert "extract: 57/57" in shown(cells[2])
    assert "hop 1: " in shown(cells[3])


def test_frames_questions_and_runs_are_tables(cells: list[Any]) -> None:
    assert all("<table" in shown(cells[place]) for place in (6, 7, 9, 10))
    assert "distinct relations" in shown(cells[6])


def test_a_workspace_and_a_run_show_their_questions_by_hop_and_status(cells: list[Any]) -> None:
    for html in (shown(cells[10]), shown(cells[13])):
        flat = re.sub(r"\s*\n\s*", "", html)
        assert "<th>hop</th><th>kept</th><th>dropped</th>" in flat
        assert "<td>seed-0-limit-12</td><td>hop 1</td>" in flat
    assert "<b>workspace W</b>, samples: 57 extracted" in shown(cells[13])


def test_a_question_is_drawn_with_its_key_path(cells: list[Any]) -> None:
    question = shown(cells[12])
    assert ">hop 2" in question
    assert 'aria-label="IMAGE -[' in question
    assert "textual, explored" in question


def test_the_first_cell_may_be_run_again(cells: list[Any]) -> None:
    assert shown(cells[11]) == "57"
