"""What each filter of a run is worth: the share of faulty candidates before and after it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kbe_graph.filters import catalogue
from kbe_graph.store import Store


class Refused(NamedTuple):
    """How many candidates were refused for a reason (empty: for none), and how many of them are faulty."""

    reason: str
    candidates: int
    faulty: int


class Worth(NamedTuple):
    """How many candidates came to a filter and how many of them are faulty, and the same after it."""

    filter: str
    before: int
    faulty_before: int
    after: int
    faulty_after: int


def faulty_shares(store: Store, run: str) -> dict[str, str]:
    """Return the faulty share before and after each filter of a run that refused anything."""
    rows = store.query("faulty_by_reason", {"run": run}).rows
    refused = [Refused(reason, many, faulty) for _, reason, many, faulty in rows]
    return {
        one.filter: f"{_percent(one.faulty_before, one.before)} before, {_percent(one.faulty_after, one.after)} after"
        for one in worth(refused, [entry.reason for entry in catalogue()])
        if one.before != one.after
    }


def worth(refused: Iterable[Refused], order: Sequence[str]) -> Iterator[Worth]:
    """Give what each filter is worth, in the order in which they were applied; other reasons count as refused by none."""
    left = list(refused)
    for name in order:
        rest = [one for one in left if one.reason != name]
        yield Worth(name, *_counted(left), *_counted(rest))
        left = rest


def _counted(some: Sequence[Refused]) -> tuple[int, int]:
    return sum(one.candidates for one in some), sum(one.faulty for one in some)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
