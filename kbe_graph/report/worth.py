"""What each check of a run is worth: the share of faulty candidates before and after it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kbe_graph.checks import explanations
from kbe_graph.store import Store


class Refused(NamedTuple):
    """How many candidates were refused for a reason (empty: for none), and how many of them are faulty."""

    reason: str
    candidates: int
    faulty: int


class Worth(NamedTuple):
    """How many candidates came to a check and how many of them are faulty, and the same after it."""

    check: str
    before: int
    faulty_before: int
    after: int
    faulty_after: int


def faulty_shares(store: Store, run: str) -> dict[str, str]:
    """Return the faulty share before and after each check of a run that refused anything."""
    return {
        each.check: f"{_percent(each.faulty_before, each.before)} before, "
        f"{_percent(each.faulty_after, each.after)} after"
        for each in _worths(store, run)
        if each.before != each.after
    }


def faulty_counts(store: Store, run: str) -> dict[str, int]:
    """Return how many candidates a run looked at and how many of them are faulty, and the same after all checks."""
    first, *_, last = _worths(store, run)
    before = {"candidates": first.before, "faulty": first.faulty_before}
    return before | {"left": last.after, "faulty left": last.faulty_after}


def _worths(store: Store, run: str) -> list[Worth]:
    rows = store.query("faulty_by_reason", {"run": run}).rows
    refused = [Refused(reason, many, faulty) for _, reason, many, faulty in rows]
    return list(worth(refused, [entry.name for entry in explanations()]))


def worth(refused: Iterable[Refused], order: Sequence[str]) -> Iterator[Worth]:
    """Give what each check is worth, in the order they were applied in; other reasons count as refused by none."""
    refusals = list(refused)
    for name in order:
        rest = [reason for reason in refusals if reason.reason != name]
        yield Worth(name, *_counted(refusals), *_counted(rest))
        refusals = rest


def _counted(refused: Sequence[Refused]) -> tuple[int, int]:
    return sum(reason.candidates for reason in refused), sum(reason.faulty for reason in refused)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
