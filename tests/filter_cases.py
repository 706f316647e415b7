"""Rows as candidates over the packaged facts, for the tests of the filters."""

from functools import cache

from kbe_graph.filters.family import Family
from kbe_graph.filters.row import Row, candidate
from kbe_graph.filters.shortcut import Shortcut
from kbe_graph.knowledge.pack import pack
from kbe_graph.knowledge.walk import Walk
from kbe_graph.types import Candidate, Decision, Filter

BORDER, ISLES = Family.example, Shortcut.example


@cache
def walk() -> Walk:
    """The packaged facts, read once a process."""
    return Walk(pack())


def case(row: Row) -> Candidate:
    """The row as a candidate."""
    return candidate(row, walk())


def decide(chosen: Filter, row: Row) -> Decision:
    """What a filter says of a row."""
    return chosen.decide(case(row))
