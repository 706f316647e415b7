"""Rows as candidates over the packaged facts, for the tests of the checks."""

from functools import cache

from kbe_graph.checks import Check
from kbe_graph.checks.chain import Detour, Shortcut
from kbe_graph.checks.check import Row, candidate
from kbe_graph.facts.pack import pack
from kbe_graph.facts.walk import Walk
from kbe_graph.types import Candidate, Decision

BORDER, ISLES = Detour.refused, Shortcut.refused


@cache
def walk() -> Walk:
    """The packaged facts, read once a process."""
    return Walk(pack())


def case(row: Row) -> Candidate:
    """The row as a candidate."""
    return candidate(row, walk())


def decide(chosen: Check, row: Row) -> Decision:
    """What a check says of a row."""
    return chosen.decide(case(row))
