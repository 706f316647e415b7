"""What several ``kbe explore`` on one workspace do to each other."""

import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import pytest
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


def test_explorers_keep_out_each_other_s_guests_and_go_on_where_the_engine_was_ended(demo_copy: Path) -> None:
    with explored(demo_copy, warm=WARM) as one, explored(demo_copy, warm=WARM) as other:
        for served, foreign in ((one, other), (other, one)):
            assert served.ask("/", Cookie=foreign.cookie)[0] == 403
            assert served.ask("/", Cookie=f"{foreign.cookie}; {served.cookie}")[0] == 200
            assert served.ask("/again", method="POST", Origin=foreign.base)[0] == 403
        assert "longer than its limit" in one.query(ENDLESS, seconds=1)[1]
        for served in (other, one):
            assert served.query("RETURN 1 AS one")[0] == 200
            assert served.ask("/again", method="POST", Origin=served.base)[0] == 303
