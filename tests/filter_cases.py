"""Table rows as candidates over the packaged facts, for the tests of the checks."""

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
    """Load the packaged facts, once per process."""
    return Walk(pack())


def case(row: Row) -> Candidate:
    """Convert a row to a candidate."""
    return candidate(row, walk())


def decide(chosen: Check, row: Row) -> Decision:
    """Apply a check to a row."""
    return chosen.decide(case(row))
