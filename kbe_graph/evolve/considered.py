"""Candidates with what was decided of each, passed on from step to step."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from kbe_graph.types import KEEP, Candidate, Decision


@dataclass(frozen=True, slots=True)
class Considered:
    """A candidate and what was decided of it so far."""

    candidate: Candidate
    decision: Decision = KEEP


Group = tuple[Considered, ...]
"""All candidates of one question, in the order of the knowledge source."""


async def decide_left(
    groups: Sequence[Group], decide: Callable[[Sequence[Candidate]], Awaitable[Sequence[Decision]]]
) -> list[Group]:
    """Ask once about all candidates that are left, in their order; return the groups with what was said of each."""
    kept = [each.candidate for group in groups for each in group if each.decision.keep]
    decisions = iter(await decide(kept) if kept else ())
    return [
        tuple(Considered(each.candidate, next(decisions)) if each.decision.keep else each for each in group)
        for group in groups
    ]
