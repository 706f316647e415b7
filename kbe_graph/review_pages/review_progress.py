"""How far a review has come, and the time that the rest takes."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from kbe_graph.review.state import QuestionState
from kbe_graph.types import Review

TIMED = 3  # decisions with a time that an estimate takes
LONGEST = 1800.0  # seconds on one question that count; the rest is a break


class ReviewProgress(NamedTuple):
    """How far a review has come: questions, those that need nobody any more, own decisions, and the time left."""

    total: int
    done: int
    own: int
    time_left: str


def review_progress(
    states: Sequence[QuestionState], reviews: Iterable[Review], reviewer: str, *, reviewers: int
) -> ReviewProgress:
    """Return how far so many ``reviewers`` have come together, with the decisions of one of them."""
    own = sum(reviewer in state.reviewers for state in states if state.counted)
    done = sum(not state.missing for state in states)
    seconds = [min(each.seconds, LONGEST) for each in reviews if each.seconds]
    missing = sum(state.missing for state in states)
    left = missing * median(seconds) / reviewers if missing and len(seconds) >= TIMED else 0
    return ReviewProgress(len(states), done, own, _in_words(left / 60))


def _in_words(minutes: float) -> str:
    if not minutes:
        return ""
    if minutes < 1:
        return "under a minute"
    return f"about {minutes:.0f} min" if minutes < 90 else f"about {minutes / 60:.0f} h"
