"""The scope of a review: its questions and reviewers, their progress, and the time left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.review.release_set import ReleaseSet
from kbe_graph.review.state import Overlap, QuestionState
from kbe_graph.text import check_name
from kbe_graph.types import RAW, Review

TIMED = 3  # timed decisions that an estimate needs
LONGEST = 1800.0  # seconds counted for one question; the rest is a break


@dataclass(frozen=True, slots=True)
class ReviewScope:
    """The scope of a review: the questions of ``run`` (or ``raw``), of one ``benchmark`` or of all.

    ``reviewers`` are the names of the participants, ``overlap`` is the share of questions that two of them review. With
    ``blind`` a reviewer answers a question before the key is shown. With a ``release`` the questions are those of that
    export.
    """

    run: str = RAW
    benchmark: str = ""
    reviewers: tuple[str, ...] = ("reviewer",)
    overlap: Overlap = field(default_factory=Overlap)
    blind: bool = False
    release: ReleaseSet | None = None

    def __post_init__(self) -> None:
        for name in self.reviewers:
            if not check_name("reviewer", name).strip() or "|" in name:
                raise InputError(f"the reviewer's name is {name!r}; give one that is not blank and has no bars")
        if len({*self.reviewers}) < len(self.reviewers):
            raise InputError(f"a name occurs twice in {', '.join(self.reviewers)}; give each reviewer a different one")

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that the questions belong to."""
        return self.release.runs if self.release else (self.run,)

    @property
    def title(self) -> str:
        """The scope in words."""
        if self.release:
            return f"release {self.release.file.name}"
        words = f"run {self.run}" if self.run != RAW else "raw questions"
        return f"{words}, {self.benchmark}" if self.benchmark else words


class ReviewProgress(NamedTuple):
    """The progress of a review: all questions, finished ones, one's own decisions, and the time left."""

    total: int
    done: int
    own: int
    time_left: str


def review_progress(
    states: Sequence[QuestionState], reviews: Iterable[Review], reviewer: str, *, reviewers: int
) -> ReviewProgress:
    """Compute the joint progress of ``reviewers`` people, with the decisions of one of them."""
    own = sum(reviewer in state.reviewers for state in states if state.counted)
    done = sum(not state.missing for state in states)
    seconds = [min(each.seconds, LONGEST) for each in reviews if each.seconds]
    missing = sum(state.missing for state in states)
    rest = missing * median(seconds) / reviewers if missing and len(seconds) >= TIMED else 0
    return ReviewProgress(len(states), done, own, _in_words(rest / 60))


def _in_words(minutes: float) -> str:
    if not minutes:
        return ""
    if minutes < 1:
        return "under a minute"
    return f"about {minutes:.0f} min" if minutes < 90 else f"about {minutes / 60:.0f} h"
