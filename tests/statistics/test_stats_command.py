"""``kbe stats``: each statistic printed, written and drawn."""

import json
from pathlib import Path

import pytest
from commands import kbe_here
from wiki_specimens import save_wiki

from kbe_graph import Workspace
from kbe_graph.statistics import STATISTICS
from kbe_graph.statistics.statistic_tables import OF_STATEMENTS
from kbe_graph.store import Address


@pytest.mark.parametrize("what", [name for name in STATISTICS if name not in OF_STATEMENTS])
def test_each_statistic_is_printed(demo_looked_at: Path, what: str) -> None:
    printed = kbe_here("-w", demo_looked_at, "stats", what, "--limit", 3).splitlines()
    assert 2 <= len(printed) <= 4


def test_statements_are_counted_by_property_and_value(empty_graph: Address, tmp_path: Path) -> None:
    with Workspace(tmp_path / "W", address=empty_graph, progress=False) as work:
        save_wiki(work.store)
        assert list(work.stats.table(what="predicates")["support"]) == [2, 1, 1]
    printed = kbe_here("-w", tmp_path / "W", "stats", "predicates", address=empty_graph).splitlines()
    assert printed[0].split("\t") == ["property", "relation", "statements", "support", "kept", "kept_support"]
    assert printed[1].split("\t") == ["P31", "instance of", "2", "2", "1", "1"]
    first = kbe_here("-w", tmp_path / "W", "stats", "values", "--limit", 1, address=empty_graph).splitlines()[1]
    assert first.split("\t") == ["Q5", "human", "2", "1"]
    counted = " ".join(kbe_here("-w", tmp_path / "W", "status", address=empty_graph).split())
    assert "pictures 2 pictures with an item 1 pictures by reason no item 1 items 2" in counted


@pytest.mark.parametrize("what", OF_STATEMENTS)
def test_without_statements_one_line_says_so(demo_looked_at: Path, what: str) -> None:
    said = kbe_here("-w", demo_looked_at, "stats", what, code=1)
    assert said.splitlines() == [f"error: no {what} to count: this workspace has no Wikidata statements"]


def test_a_statistic_is_printed_as_json_and_rows(demo_looked_at: Path) -> None:
    rows = json.loads(kbe_here("-w", demo_looked_at, "stats", "relations", "--json"))
    lines = kbe_here("-w", demo_looked_at, "stats", "relations", "--limit", 1000).splitlines()
    assert len(lines) == len(rows) + 1
