"""Who reaches ``kbe explore`` from elsewhere, and what several of them on one workspace do to each other."""

import re
import shutil
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import pytest
from commands import kbe
from explorers import Served, ask_at, explored

from kbe_graph.explorer.explorer import WAITING
from kbe_graph.store.engine import stop

ENDLESS = "MATCH (a:Entity), (b:Entity), (c:Entity), (d:Entity), (e:Entity) RETURN count(a.name + b.name) AS many"
EVERYWHERE = "0.0.0.0"  # noqa: S104 - that is what is tested
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


@pytest.mark.parametrize("host", [EVERYWHERE, "::"])
def test_all_addresses_of_the_machine_are_served_and_no_other_name(demo_copy: Path, host: str) -> None:
    with explored(demo_copy, "--host", host, warm=WARM, through="127.0.0.2") as served:
        assert served.ask("/")[0] == 200
        port = served.place.rpartition(":")[2]
        for name in ("evil.example", "127.0.0.3", EVERYWHERE, "[fe80::1]"):
            assert served.ask("/", Host=f"{name}:{port}")[0] == 400
        assert served.ask("/", Host="127.0.0.2")[0] == 400, "another port"
        assert served.ask("/", Host=f"{socket.gethostname()}:{port}")[0] == 200
        assert served.ask("/again", method="POST", Origin=f"http://127.0.0.1:{port}")[0] == 403
        assert served.ask("/again", method="POST", Origin=served.base)[0] == 303
        assert ask_at(served.place, "/")[0] == 403
        served.process.terminate()
        said = served.process.communicate()[1]
    assert "warning: other machines can reach these pages" in said
    assert "not encrypted" in said


def test_an_address_of_loopback_is_served_alone_and_without_a_warning(demo_copy: Path) -> None:
    with explored(demo_copy, "--host", "127.2", warm=WARM) as served:
        assert served.place.startswith("127.0.0.2:")
        with pytest.raises(ConnectionRefusedError):
            ask_at(served.place.replace("127.0.0.2", "127.0.0.1"), "/")
        served.process.terminate()
        assert "warning" not in served.process.communicate()[1]


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("", "the host is empty"),
        ("192.0.2.1", "Cannot assign requested address; choose another `host`"),
        ("no.such.name.invalid", "there is no such name; choose another `host`"),
        ("[::1]", "there is no such name"),
        ("a..b", "there is no such name"),
        ("\udcff", "there is no such name"),
    ],
)
def test_a_host_that_is_none_of_ours_is_refused(demo_copy: Path, host: str, said: str) -> None:
    assert said in kbe("-w", demo_copy, "explore", "--no-browser", "--host", host, code=1)


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


def test_an_explorer_ends_at_once_with_a_query_that_runs_and_others_that_wait(demo_copy: Path) -> None:
    with explored(demo_copy, warm=WARM) as served, ThreadPoolExecutor() as pool:
        asked = [pool.submit(_status_or_none, served) for _ in range(1 + WAITING + 1)]
        assert next(as_completed(asked)).result() == 429, "all the others run or wait"
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
