"""What a user is told, and what is left, when a restore is interrupted, a disk is full or cannot be written."""

import shutil
import subprocess
from pathlib import Path

import pytest
import quick_kbe
from commands import environment, kbe_here, kept_up
from loopback_server import LoopbackServer
from model_cases import answer_step, write_benchmark
from mounts import fill, make_room, small_disk
from specimens import dump, family, load

from kbe_graph import Workspace
from kbe_graph.store.statements import VERSION, record_version

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with samples, a run and questions, made once; it is opened by nobody."""
    folder = tmp_path_factory.mktemp("filled") / "W"
    with Workspace(folder, progress=False) as workspace:
        load(workspace.store)
        workspace.store.save_questions([family()])
    return folder


@pytest.fixture
def work(filled: Path, tmp_path: Path) -> Path:
    """A workspace with samples, a run and questions."""
    return shutil.copytree(filled, tmp_path / "W")


def test_a_restore_that_was_interrupted_is_done_again(work: Path, tmp_path: Path) -> None:
    file = tmp_path / "graph.kbe"
    with kept_up(work):
        with Workspace(work, progress=False) as workspace:
            once = dump(workspace.store)
            workspace.graph.backup(file)
            record_version(workspace.store.connection, VERSION, restoring=True)
        said = kbe_here("-w", work, "status", code=1)
        whole = "restore it again (`restore` and `--replace`)"
        assert said == f"error: the graph in '{work}' contains an incomplete backup; {whole}\n"
        assert "is not empty" in kbe_here("-w", work, "db", "restore", file, code=1)
        assert kbe_here("-w", work, "db", "restore", file, "--replace").startswith("restored ")
        with Workspace(work, progress=False) as workspace:
            assert once == dump(workspace.store)


@pytest.mark.ci
def test_a_disk_that_fills_up_as_a_model_is_asked_is_told_in_one_line(tmp_path: Path) -> None:
    """Whatever it is that there is no room for: the calls, the pictures or the graph."""
    file = write_benchmark(tmp_path, copies=5)
    with small_disk(tmp_path / "disk", "300m") as disk, LoopbackServer(otherwise=answer_step) as server:
        work, seen = disk / "W", list[str]()
        kbe_here("-w", work, "init")
        with kept_up(work):
            kbe_here("-w", work, "load", file, "--images", tmp_path)
            for left in (0, 320, 200, 240, 280, 400):
                fill(disk, left)
                done = subprocess.run(
                    [quick_kbe.path(), "-w", work, "extract", "--by", "model", "--mode", "paper"],
                    capture_output=True,
                    text=True,
                    check=False,
                    env=environment() | {"KBE_BASE_URL": server.url, "KBE_API_KEY": "k", "KBE_MODEL": "m"},
                )
                told = [line for line in done.stderr.splitlines() if not line.startswith(("extract: ", "calls: "))]
                assert len(told) == done.returncode
                assert all("make room" in line for line in told)
                seen += told
            make_room(disk)
    assert {"calls.sqlite" in line for line in seen} == {True, False}
