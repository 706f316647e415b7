"""An engine that stays warm: the next user finds it up, and it ends by itself."""

import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
import quick_kbe
from commands import environment
from engines import gone
from specimens import SAMPLE, load

import kbe_graph as kbe
from kbe_graph.config import WARM
from kbe_graph.errors import ConfigError, KbeWarning, StoreError
from kbe_graph.store import open_store
from kbe_graph.store.embedded import start, stop, url
from kbe_graph.store.engine_files import EngineUsers, running
from kbe_graph.store.engine_use import use_engine
from kbe_graph.workspace import graph_access
from kbe_graph.workspace.progress import Reporter

pytestmark = pytest.mark.long
SECONDS = 2.0
LONG = 60.0


@pytest.fixture
def folder(tmp_path: Path):
    """A folder whose engine is ended after the test."""
    yield tmp_path / ".kbe"
    if (record := running(tmp_path / ".kbe")) is not None:
        os.kill(record.pid, signal.SIGKILL)


def pid(folder: Path) -> int:
    record = running(folder)
    assert record is not None
    return record.pid


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
    for _ in range(2):  # the second comes while the first ends, and waits
        with open_store(folder, warm=0.01) as store:
            assert SAMPLE in store.samples()
        time.sleep(0.1)


class Noting(Reporter):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, what: str) -> None:
        self.notes.append(what)


def test_one_for_short_commands_gives_way_to_one_for_long_work_unless_somebody_uses_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(WARM)
    monkeypatch.setattr(graph_access, "LONG_WORK", 3)
    noting = Noting()
    with kbe.Workspace(tmp_path, create=True, progress=False):
        (tmp_path / "kbe.toml").write_text("[graph]\nwarm = 30\n", encoding="utf-8")
    with kbe.Workspace(tmp_path, progress=noting) as work:
        work.load(kbe.demo().samples, name="demo", split="demo")
        first, record = pid(folder), running(folder)
        assert record is not None
        assert record.warm == 30
        assert work.extract(scene_graphs=kbe.demo().scene_graphs, sample=2).samples == 2
        with open_store(folder, warm=LONG, long_work=True):
            assert pid(folder) == first  # the other one is at work on it
        assert noting.notes == [
            "the graph's engine stays up for the next 30 seconds; `work.graph.engine.stop()` ends it"
        ]
        assert work.extract(scene_graphs=kbe.demo().scene_graphs).samples == work.store.count_samples()
        second, record = pid(folder), running(folder)
        assert second != first
        assert record is not None
        assert record.long_work
        with open_store(folder):
            assert pid(folder) == second
    stop_it = [quick_kbe.path(), "-w", tmp_path, "db", "stop"]
    done = subprocess.run(stop_it, capture_output=True, text=True, check=True, env=environment())
    assert done.stdout == "stopped the engine\n"
    assert running(folder) is None


def test_of_several_that_come_at_once_one_starts_it_and_it_makes_way_for_one_that_is_kept_up(folder: Path) -> None:
    def samples(_: int) -> int:
        code = (
            "import sys; from pathlib import Path; from kbe_graph.store import open_store\n"
            f"with open_store(Path(sys.argv[1]), warm={LONG}) as store: print(len(store.samples()))"
        )
        done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(samples, range(3))) == [0, 0, 0]
    first = pid(folder)
    endpoint = start(folder)
    before = pid(folder)
    assert before != first
    with use_engine(folder, warm=0.01):
        pass
    time.sleep(1)
    assert url(folder) == endpoint
    with EngineUsers(folder) as users:
        users.joined(1).__enter__()  # and no end
    with (
        pytest.warns(KbeWarning, match="is restarted, with a new password .*: its last user was killed"),
        open_store(folder) as store,
    ):
        assert store.samples() == []
    assert pid(folder) != before
    address = url(folder)
    assert address is not None
    assert address.uri == endpoint.uri
    assert stop(folder) is True
    assert running(folder) is None


def test_it_ends_with_its_folder_and_leaves_the_place_alone(folder: Path) -> None:
    for away in (lambda folder: folder.rename(folder.with_name("moved")), shutil.rmtree):
        with open_store(folder, warm=LONG) as store:
            assert store.samples() == []
            first = pid(folder)
        away(folder)
        os.waitpid(first, 0)
        assert not folder.exists()


def test_what_a_user_that_was_killed_asked_for_is_not_written_later(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WARM, "30")
    with open_store(folder, warm=LONG) as store:
        load(store)
    code = (
        "import sys, time; from pathlib import Path; from kbe_graph.store import open_store\n"
        "with open_store(Path(sys.argv[1])) as store:\n"
        "    with store.connection.session(write=True) as session, session.begin_transaction() as open:\n"
        "        open.run('MATCH (n) DETACH DELETE n'); print('deleted', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, folder], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "deleted\n"
    before = pid(folder)
    process.kill()
    process.communicate()
    with open_store(folder, warm=LONG) as store:
        assert pid(folder) != before
        assert SAMPLE in store.samples()
        after = pid(folder)
    for error in (kbe.InputError("no such sample"), KeyboardInterrupt()):
        with suppress(kbe.InputError, KeyboardInterrupt), kbe.Workspace(tmp_path, progress=False) as work:
            assert SAMPLE in work.samples()
            assert pid(folder) == after  # who left in order leaves nothing behind, nor does an error
            raise error
    with kbe.Workspace(tmp_path, progress=False) as work:
        assert SAMPLE in work.samples()
        assert pid(folder) != after  # an interrupt ends it with what it was asked for
    stop(folder)


def test_users_are_counted_by_the_system_not_by_a_file(tmp_path: Path) -> None:
    with EngineUsers(tmp_path) as ending:
        with EngineUsers(tmp_path) as user, user.joined(1):
            assert not ending.gone_for(0)
        assert not ending.gone_for(LONG)
        assert ending.gone_for(0)
        with EngineUsers(tmp_path) as late, pytest.raises(TimeoutError), late.joined(0.1):
            pass


@pytest.mark.parametrize("years", [-10, 10])
def test_users_are_gone_for_as_long_whatever_the_clock_says(tmp_path: Path, years: int) -> None:
    with EngineUsers(tmp_path) as ending:
        with EngineUsers(tmp_path) as user, user.joined(1):
            pass
        os.utime(tmp_path / "engine.users", (0, time.time() + years * 365 * 86_400))
        begun = time.monotonic()
        while not ending.gone_for(0.2):
            assert time.monotonic() < begun + LONG
        assert time.monotonic() >= begun + 0.2


@pytest.mark.parametrize("value", ["soon", "-1", "nan", "inf", "1e9"])
def test_seconds_that_are_none_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(WARM, value)
    with (
        kbe.Workspace(tmp_path, progress=False) as work,
        pytest.raises(ConfigError, match=f"environment {WARM} is '{value}'; it must be a number of seconds from 0 to"),
    ):
        work.samples()
