"""The embedded engine: one detached process that all share, and that ends when nobody uses it."""

import fcntl
import os
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from engines import gone
from specimens import SAMPLE, dump, load

from kbe_graph.errors import StoreError
from kbe_graph.store import open_store
from kbe_graph.store.engine import running, start, stop, url
from kbe_graph.store.engine_process import PASSWORD_FILE, USERS

pytestmark = pytest.mark.long
HERE = str(Path(__file__).parents[1])
SECONDS = 2.0
WRITE = """
import sys
from dataclasses import replace
from pathlib import Path
from kbe_graph.store import Evolved, open_store
from kbe_graph.types import question_id
from specimens import family, load
with open_store(Path(sys.argv[1])) as store:
    load(store)
    for batch in range(10_000):
        run = f"run {batch}"
        asked, candidates, *_ = family(run)
        store.save_questions(
            [
                Evolved(replace(asked, id=question_id(asked.sample, run, hop), hop=hop), candidates)
                for hop in range(1, 21)
            ]
        )
        print(batch, flush=True)
"""
COUNT = """
import sys
from pathlib import Path
from kbe_graph.store import open_store
with open_store(Path(sys.argv[1]), warm=60) as store: print(len(store.samples()))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder whose engine is ended after the test."""
    yield tmp_path / ".kbe"
    if (record := running(tmp_path / ".kbe")) is not None:
        os.kill(record.pid, signal.SIGKILL)


def pid(folder: Path) -> int:
    record = running(folder)
    assert record is not None
    return record.pid


def user(code: str, folder: Path) -> "subprocess.Popen[str]":
    """A process that uses the graph in a folder, once it has said something."""
    path = {"PYTHONPATH": HERE} | {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True, env=path)
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


def test_it_starts_on_demand_and_leaves_nothing_but_its_folder(folder: Path) -> None:
    before = sorted(Path().iterdir())
    with open_store(folder) as store:
        load(store)
        once = dump(store)
    assert running(folder) is None
    assert stat.S_IMODE((folder / PASSWORD_FILE).stat().st_mode) == 0o600
    assert sorted(Path().iterdir()) == before
    with open_store(folder) as store:
        assert once == dump(store)
        os.kill(pid(folder), signal.SIGKILL)
        with pytest.raises(StoreError, match=r"run the same command again to continue"):
            store.samples()


def test_an_engine_that_is_stopping_itself_is_waited_for(folder: Path) -> None:
    with open_store(folder, warm=SECONDS):
        pass
    with (folder / USERS).open("rb") as users:  # as an engine without users does until it has ended
        fcntl.flock(users, fcntl.LOCK_EX)
        assert stop(folder)
    assert running(folder) is None


def test_the_next_user_finds_it_up_and_it_ends_when_nobody_came_for_a_while(folder: Path) -> None:
    with open_store(folder, warm=SECONDS) as store:
        load(store)
        first = pid(folder)
    assert url(folder) is None  # it is nobody's to connect to
    with open_store(folder, warm=SECONDS) as store, open_store(folder) as other:
        assert pid(folder) == first
        assert SAMPLE in store.samples() == other.samples()
        with pytest.raises(StoreError, match="is in use by another command; wait for it"):
            stop(folder)
        time.sleep(SECONDS + 1)
        assert pid(folder) == first  # somebody uses it
    begun = time.monotonic()
    assert gone(folder)
    assert time.monotonic() - begun > SECONDS / 2


def test_of_several_that_come_at_once_one_starts_it_and_it_makes_way_for_one_that_is_kept_up(folder: Path) -> None:
    def samples(_: int) -> str:
        done = subprocess.run([sys.executable, "-c", COUNT, folder], capture_output=True, text=True, check=False)
        return done.stdout or done.stderr

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(samples, range(2))) == ["0\n"] * 2
    first = pid(folder)
    endpoint = start(folder)
    assert pid(folder) != first
    assert start(folder) == endpoint == url(folder)
    with open_store(folder) as store, open_store(folder) as other:
        load(store)
        assert other.samples(ids=[SAMPLE.id]) == [SAMPLE]
    time.sleep(1)
    assert url(folder) == endpoint
    assert stop(folder) is True
    assert url(folder) is None
    assert stop(folder) is False


def test_a_killed_writer_leaves_no_half_written_question_and_its_graph_to_the_next(folder: Path) -> None:
    process = user(WRITE, folder)
    with pytest.raises(StoreError, match="is in use by another command"):
        start(folder)
    process.kill()
    written = len(process.communicate()[0].split())
    with open_store(folder) as store:
        questions = store.questions(hop=None, status=None)
        runs = {question.run for question in questions} - {"raw"}
        assert len(runs) >= written
        assert len([question for question in questions if question.run != "raw"]) == 20 * len(runs)
        assert all(len(question.key) == 2 for question in questions if question.run != "raw")
        table = store.query_text("MATCH (c:Candidate)-[:FOR]->(q:Question)-[:OF]->(:Sample) RETURN count(c) AS c")
        assert table.rows == ((40 * len(runs),),)


def test_what_it_cannot_start_with_is_told(folder: Path, tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(StoreError, match=f"port {port} is used by another program; choose"):
            start(folder, port=port)
    assert gone(folder)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match=r"cannot keep a graph in .*: Not a directory; choose another folder"):
        start(tmp_path / "file" / ".kbe")


def test_a_port_that_was_taken_while_the_engine_started_is_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        once = f"""
        import pathlib, socket
        mark, real = pathlib.Path({str(tmp_path / "mark")!r}), socket.socket.getsockname
        def taken(self):
            if mark.exists():
                return real(self)
            mark.touch()
            return "127.0.0.1", {busy.getsockname()[1]}
        socket.socket.getsockname = taken
        """
        (tmp_path / "sitecustomize.py").write_text(textwrap.dedent(once), encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        start(folder)
    assert (tmp_path / "mark").exists()
    assert running(folder)
    stop(folder)
