"""How old the facts of a pack are: by source, how many have no date, and how many are older than a date."""

from collections.abc import Iterator
from typing import NamedTuple

from kbe_graph.knowledge.pack import Pack
from kbe_graph.types import Fact


class Freshness(NamedTuple):
    """The usable facts of one source and version: their number, how many are undated, older than asked, and reviewed."""

    source: str
    version: str
    date: str
    facts: int
    undated: int
    older: int
    reviewed: int


def check(pack: Pack, *, older_than: str = "") -> tuple[Freshness, ...]:
    """Return the age of a pack's usable facts by source, the largest first.

    ``older_than`` is a date such as ``2020`` or ``2020-06-30``; dates are compared from the left, so ``2006-12`` is older
    than ``2007``.
    """
    by_source: dict[tuple[str, str, str], list[Fact]] = {}
    for fact in pack.facts:
        if fact.review != "rejected":
            by_source.setdefault((fact.source, fact.source_version, fact.source_date), []).append(fact)
    return tuple(sorted(_reports(by_source, older_than), key=lambda one: (-one.facts, one.source)))


def _reports(by_source: dict[tuple[str, str, str], list[Fact]], older_than: str) -> Iterator[Freshness]:
    for (source, version, date), facts in by_source.items():
        old = len(facts) if date and date < older_than else 0
        reviewed = sum(fact.review == "reviewed" for fact in facts)
        yield Freshness(source, version, date, len(facts), 0 if date else len(facts), old, reviewed)
