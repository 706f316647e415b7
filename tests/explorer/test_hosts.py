"""What several ``kbe explore`` on one workspace do to each other."""

import re
import shutil
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import pytest
from commands import kbe
from explorers import Served, explored

from kbe_graph.store.engine import stop

ENDLESS = "MATCH (a:Entity), (b:Entity), (c:Entity), (d:Entity), (e:Entity) RETURN count(a.name + b.name) AS many"
WARM = 60


@pytest.fixture(scope="module")
def demo_copy(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace of a module's own that holds the demo, whose engine is warm after the first use."""
    workspace = tmp_path_factory.mktemp("demo") / "W"
    shutil.copytree(demo_made / "W", workspace)
    yield workspace
    stop(workspace / ".kbe")


@pytest.fixture(scope="module")
def sample(demo_made: Path) -> str:
    line = (demo_made / "out.jsonl").read_text().splitlines()[0]
    return re.findall(r'"sample": "([^"]+)"', line)[0]


def test_a_port_that_is_taken_is_told(demo_copy: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = kbe("-w", demo_copy, "explore", "--no-browser", "--port", port, code=1)
    assert f"cannot serve at port {port}: Address already in use" in said


def test_two_explorers_do_not_let_in_each_other_s_guests(demo_copy: Path) -> None:
    with explored(demo_copy, warm=WARM) as one, explored(demo_copy, warm=WARM) as other:
        assert one.cookie.partition("=")[0] != other.cookie.partition("=")[0]
        for served, foreign in ((one, other), (other, one)):
            assert served.ask("/", Cookie=foreign.cookie)[0] == 403
            assert served.ask("/", Cookie=f"{foreign.cookie}; {served.cookie}")[0] == 200
            assert served.ask("/again", method="POST", Origin=foreign.base)[0] == 403


def test_the_same_port_again_lets_in_nobody_of_before(demo_copy: Path) -> None:
    with explored(demo_copy, warm=WARM) as before:
        port = before.place.rpartition(":")[2]
    with explored(demo_copy, "--port", port, warm=WARM) as served:
        assert served.place == before.place
        assert served.ask("/", Cookie=before.cookie)[0] == 403


def test_an_explorer_goes_on_where_the_engine_was_ended_by_a_query_of_another(demo_copy: Path, sample: str) -> None:
    with explored(demo_copy, warm=WARM) as one, explored(demo_copy, warm=WARM) as other:
        assert "longer than its limit" in one.query(ENDLESS, seconds=1)[1]
        for served in (other, one):
            assert served.ask(f"/sample?id={sample}")[0] == 200
            assert served.query("RETURN 1 AS one")[0] == 200
            assert served.ask("/again", method="POST", Origin=served.base)[0] == 303


def test_an_explorer_ends_at_once_with_a_query_that_runs(demo_copy: Path) -> None:
    with explored(demo_copy, warm=WARM) as served, ThreadPoolExecutor() as pool:
        asked = [pool.submit(_status_or_none, served) for _ in range(2)]
        assert next(as_completed(asked)).result() == 429, "the other one runs"
        served.process.send_signal(signal.SIGINT)
        said = served.process.communicate(timeout=30)[1]
        assert {query.result() for query in asked} <= {0, 400, 429, 503}
    assert served.process.returncode == 0
    assert "Traceback" not in said
    assert "ERROR" not in said


def _status_or_none(served: Served) -> int:
    try:
        return served.query(ENDLESS, seconds=60)[0]
    except OSError:
        return 0


def test_a_workspace_that_is_gone_is_told_and_not_made_again(demo_copy: Path, sample: str, tmp_path: Path) -> None:
    shutil.copytree(demo_copy, tmp_path / "W", ignore=shutil.ignore_patterns("engine.*"))
    with explored(tmp_path / "W", warm=1) as served:
        (tmp_path / "W").rename(tmp_path / "elsewhere")
        for _ in range(2):
            status, answer = served.ask(f"/sample?id={sample}")
            while status == 200:  # the engine looks after its folder from time to time
                status, answer = served.ask(f"/sample?id={sample}")
            assert status == 404
            assert "no workspace at" in answer
        assert not (tmp_path / "W").exists()
