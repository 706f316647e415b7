"""The embedded engine: a process that starts with its user, ends with it, and never outlives it."""

import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from drawn_graphs import dense, drawn, save
from engines import gone
from specimens import SAMPLE, dump, load

from kbe_graph.errors import StoreError
from kbe_graph.store import open_store
from kbe_graph.store.embedded import on_demand, start, stop, url
from kbe_graph.store.engine_files import running
from kbe_graph.store.engine_process import PASSWORD_FILE
from kbe_graph.store.paths import reselect

pytestmark = pytest.mark.long
HERE = str(Path(__file__).parents[1])
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


def user(code: str, folder: Path) -> "subprocess.Popen[str]":
    """A process that uses the graph in a folder, once it has said something."""
    path = {"PYTHONPATH": HERE} | {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True, env=path)
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


def test_it_starts_on_demand_and_leaves_nothing_but_its_folder(tmp_path: Path) -> None:
    folder, before = tmp_path / "new" / ".kbe", sorted(Path().iterdir())
    with open_store(folder) as store:
        load(store)
        once = dump(store)
    assert running(folder) is None
    assert stat.S_IMODE((folder / PASSWORD_FILE).stat().st_mode) == 0o600
    assert sorted(Path().iterdir()) == before
    with open_store(folder) as store:
        assert once == dump(store)
        record = running(folder)
        assert record is not None
        os.kill(record.pid, signal.SIGKILL)
        with pytest.raises(StoreError, match=r"run the same command again to continue"):
            store.samples()


def test_one_whose_user_was_killed_before_it_was_up_is_waited_for(tmp_path: Path) -> None:
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    module = [sys.executable, "-m", "kbe_graph.store.engine_process", str(tmp_path), "--user", str(killed.pid)]
    quicker = subprocess.Popen(module, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with on_demand(tmp_path) as endpoint:
        assert endpoint.uri
    assert quicker.wait(60) == 0


def test_one_that_is_kept_up_serves_everybody_and_leaves_no_trace_when_it_is_killed(tmp_path: Path) -> None:
    assert url(tmp_path) is None
    assert stop(tmp_path) is False
    endpoint = start(tmp_path)
    assert start(tmp_path) == endpoint
    assert url(tmp_path) == endpoint
    with open_store(tmp_path) as store, open_store(tmp_path) as other:
        load(store)
        assert other.samples(ids=[SAMPLE.id]) == [SAMPLE]
    assert url(tmp_path) == endpoint
    record = running(tmp_path)
    assert record is not None
    os.kill(record.pid, signal.SIGKILL)
    assert gone(tmp_path)
    assert url(tmp_path) is None
    assert start(tmp_path).uri != record.uri
    assert stop(tmp_path) is True
    assert url(tmp_path) is None


def test_a_busy_port_is_a_clear_error(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(StoreError, match=f"did not start: port {port} is in use by another program; choose"):
            start(tmp_path, port=port)
    assert gone(tmp_path)


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match=r"cannot keep a graph in .*: Not a directory; choose another folder"):
        start(tmp_path / "file" / ".kbe")


def test_a_statement_has_a_time_limit(tmp_path: Path) -> None:
    pairs = [dense(), drawn(1, entities=7, edges=9)]
    with open_store(tmp_path) as store:
        save(store, pairs)
    with open_store(tmp_path, timeout=3) as store:
        graphs = store.graphs([sample.id for sample, _ in pairs])
        found = reselect(store.connection, graphs, seed=0, most_trails=10**9)
        assert list(found) == [pairs[1][0].id]
        with pytest.raises(StoreError, match="took longer than its time limit"):
            store.query_text("MATCH (:Entity {term: 'image'})-[:VISUAL*1..10]->(e) RETURN count(e) AS ways")


def test_a_killed_writer_leaves_no_half_written_question_and_its_graph_to_the_next(tmp_path: Path) -> None:
    process = user(WRITE, tmp_path)
    in_use = f"is in use by process {process.pid}; wait for it to end, or start an engine"
    with pytest.raises(StoreError, match=in_use) as seen:
        start(tmp_path)
    assert seen.value.retryable
    with pytest.raises(StoreError, match="is in use by process"):
        stop(tmp_path)
    process.kill()
    written = [len(process.communicate()[0].split())]
    process = user(WRITE, tmp_path)  # waits for the engine to end with its user, and starts another
    record = running(tmp_path)
    assert record is not None
    os.kill(record.pid, signal.SIGKILL)
    written.append(len(process.communicate()[0].split()))
    with open_store(tmp_path) as store:
        questions = store.questions(hop=None, status=None)
        runs = {question.run for question in questions} - {"raw"}
        assert len(runs) >= max(written)
        assert len([question for question in questions if question.run != "raw"]) == 20 * len(runs)
        assert all(len(question.key) == 2 for question in questions if question.run != "raw")
        table = store.query_text("MATCH (c:Candidate)-[:FOR]->(q:Question)-[:OF]->(:Sample) RETURN count(c) AS c")
        assert table.rows == ((40 * len(runs),),)
