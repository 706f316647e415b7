"""How old the facts of a pack are, by source."""

from collections.abc import Iterable
from typing import NamedTuple

from kbe_graph.types import Fact


class Age(NamedTuple):
    """A source's usable facts: how many there are, lack a date, and are of before the date asked about; with shares."""

    source: str
    facts: int
    undated: int
    older: int

    @property
    def undated_share(self) -> float:
        """The undated ones, 0 to 1."""
        return self.undated / self.facts

    @property
    def older_share(self) -> float:
        """The older ones, 0 to 1."""
        return self.older / self.facts


def ages(facts: Iterable[Fact], before: str) -> tuple[Age, ...]:
    """Return the age of each source's facts, rejected ones left out, in the order of the sources' names.

    ``before`` is an ISO date (2025-11-30); a fact dated by year or month counts as of its last day.
    """
    by_source: dict[str, list[str]] = {}
    for fact in facts:
        if fact.review != "rejected":
            by_source.setdefault(fact.source, []).append(fact.source_date)
    return tuple(
        Age(source, len(dates), dates.count(""), sum(bool(date) and _last_day(date) < before for date in dates))
        for source, dates in sorted(by_source.items())
    )


def _last_day(date: str) -> str:
    return f"{date}-99-99"[:10]
