"""Progress is drawn on a terminal, handed to a function where one is given, and otherwise kept to itself."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from small_benchmark import write_small_benchmark

import kbe_graph as kbe

WORK = """
from kbe_graph.progress import reporter_of
with reporter_of({progress}) as reporter:
    for done in (1, 2, 3):
        reporter("extract", done, 3)
"""


def drawn(progress: str) -> str:
    """Return what a program draws on a terminal; it prints nothing else."""
    mine, its = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", WORK.format(progress=progress)], stdout=subprocess.PIPE, stderr=its, check=True
    )
    os.close(its)
    assert done.stdout == b""
    text = b""
    try:
        while part := os.read(mine, 1 << 16):
            text += part
    except OSError:  # how a terminal ends
        pass
    os.close(mine)
    return text.decode()


def test_a_terminal_shows_a_bar() -> None:
    bar = drawn("None")
    assert "extract" in bar
    assert "3/3" in bar
    assert bar.endswith("\x1b[?25h")  # the cursor is there again
    assert drawn("False") == ""


def test_what_takes_long_tells_how_far_it_is(empty_graph: kbe.Address, tmp_path: Path) -> None:
    write_small_benchmark(tmp_path)
    calls: list[tuple[str, int, int]] = []
    with kbe.Workspace(tmp_path / "w", address=empty_graph, progress=lambda *call: calls.append(call)) as work:
        work.load(tmp_path / "okvqa.jsonl")
        work.extract(detections=tmp_path / "detections.json")
        exported = work.export(tmp_path / "out.jsonl")
        whole = sum(work.graph.backup(tmp_path / "graph.kbe"))
        work.graph.restore(tmp_path / "graph.kbe", replace=True)
    last = {stage: (done, total) for stage, done, total in calls}
    assert last["load"] == (3, 3)
    assert last["export"] == (exported, exported)
    assert last["backup"] == last["restore"] == (whole, whole)
