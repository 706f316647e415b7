"""A query is ended when its time is up or its user interrupts it, with the engine where that does not stop it."""

import time
from pathlib import Path

import pytest

import kbe_graph as kbe
from kbe_graph.store.engine import running

NEVER = "UNWIND range(1,90000) AS x UNWIND range(1,90000) AS y WITH x, y WHERE x * y % 7 = 8 RETURN count(*) AS none"


def test_an_engine_of_ones_own_ends_with_the_query_and_a_workspace_goes_on(tmp_path: Path) -> None:
    with kbe.Workspace(tmp_path, progress=False) as work:
        assert work.graph.cypher("RETURN 1 AS one")["one"][0] == 1
        begun = time.monotonic()
        with pytest.raises(kbe.KbeError, match="longer than its limit of 1 seconds; ask for less"):
            work.graph.cypher(NEVER, timeout=1)
        assert time.monotonic() - begun < 10
        assert running(tmp_path / ".kbe") is None
        assert work.graph.cypher("RETURN 1 AS one")["one"][0] == 1
