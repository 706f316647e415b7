"""What a user is told, and what is left, when a restore is interrupted, a disk is full or cannot be written."""

import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
import quick_kbe
from commands import KBE, environment, kbe, kbe_here, kept_up
from loopback_server import LoopbackServer
from model_cases import answer_step, write_benchmark
from mounts import fill, make_room, read_only, small_disk
from specimens import SAMPLE, dump, family, load

from kbe_graph import Workspace
from kbe_graph.errors import StoreError
from kbe_graph.store import open_store
from kbe_graph.store.engine import running, start, stop
from kbe_graph.store.engine_process import PASSWORD_FILE
from kbe_graph.store.schema import VERSION, commands, record_version

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
        whole = "restore it again (`restore` and `replace`)"
        assert said == f"error: the graph in '{work}' contains an incomplete backup; {whole}\n"
        assert "is not empty" in kbe_here("-w", work, "db", "restore", file, code=1)
        assert kbe_here("-w", work, "db", "restore", file, "--replace").startswith("restored ")
        with Workspace(work, progress=False) as workspace:
            assert once == dump(workspace.store)


def test_a_workspace_that_cannot_be_written_is_told(work: Path) -> None:
    with read_only(work):
        said = kbe_here("-w", work, "status", code=1)
    assert "cannot keep a graph in" in said


def test_a_disk_that_was_full_at_first_leaves_no_graph_without_its_indexes(tmp_path: Path) -> None:
    declared = sum(len(commands(step)) for step in range(1, VERSION + 1))
    with small_disk(tmp_path / "disk", "1200k") as disk:
        folder = disk / "W" / ".kbe"
        folder.mkdir(parents=True)
        with pytest.raises(StoreError, match=r"the disk of .* is full; make room, then run"), open_store(folder):
            pass
        make_room(disk)
        for _ in range(2):
            with open_store(folder) as store:
                store.save_samples([SAMPLE])
                assert len(store.connection.read("indexes")) == declared
                assert store.query_text("MATCH (s:Sample) RETURN count(s)").rows == ((1,),)


def test_a_disk_that_fills_up_is_named(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "24m") as disk:
        folder = disk / "W" / ".kbe"
        folder.mkdir(parents=True)
        long = [replace(SAMPLE, id=f"long/x/{number}", question="Why? " * 7_200) for number in range(600)]
        with open_store(folder) as store:
            store.save_samples([SAMPLE])
            with pytest.raises(StoreError, match=r"the disk of the graph in '.*W' is full; make room, then run"):
                store.save_samples(long)
        make_room(disk)
        with open_store(folder) as store:
            assert [sample.id for sample in store.samples()] == [SAMPLE.id]


def test_a_disk_that_fills_up_as_a_model_is_asked_is_told_in_one_line(tmp_path: Path) -> None:
    """Whatever it is that there is no room for: the calls, the pictures or the graph."""
    file = write_benchmark(tmp_path, copies=5)
    with small_disk(tmp_path / "disk", "300m") as disk, LoopbackServer(otherwise=answer_step) as server:
        work, seen = disk / "W", list[str]()
        kbe_here("-w", work, "init")
        with kept_up(work):
            kbe_here("-w", work, "load", file, "--images", tmp_path)
            for left in (0, 60, 90, 120, 200):
                fill(disk, left)
                done = subprocess.run(
                    [quick_kbe.path(), "-w", work, "extract", "--by", "model"],
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


def wait_for_start(work: Path) -> None:
    """Wait until the engine of a workspace begins to start."""
    end = time.monotonic() + 30
    while not running(work / ".kbe") and time.monotonic() < end:
        time.sleep(0.02)


def test_an_engine_whose_user_was_killed_while_it_started_is_waited_for(work: Path) -> None:
    process = subprocess.Popen([KBE, "-w", work, "status"], stdout=subprocess.DEVNULL, env=environment())
    wait_for_start(work)
    process.kill()
    process.wait()
    kbe("-w", work, "status")


def test_an_interrupted_start_leaves_no_engine(work: Path) -> None:
    process = subprocess.Popen(
        [KBE, "-w", work, "db", "start"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    wait_for_start(work)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    assert running(work / ".kbe") is None


def test_a_kept_up_engine_without_its_password_is_told(work: Path) -> None:
    start(work / ".kbe")
    try:
        (work / ".kbe" / PASSWORD_FILE).unlink()
        said = kbe_here("-w", work, "status", code=1)
        assert "the password of the engine cannot be read" in said
        assert "stop the engine, then run the same command again" in said
    finally:
        stop(work / ".kbe")
    kbe("-w", work, "status")


@pytest.mark.parametrize("port", ["80000", "-5"])
def test_a_port_that_is_none_is_wrong_usage(tmp_path: Path, port: str) -> None:
    assert "is not in the range" in kbe_here("-w", tmp_path, "db", "start", "--port", port, code=2)
