"""The state of each question according to its decisions, and the reviewers it still needs.

The last decision of each reviewer counts, without undone ones. If two reviewers differ, the question is disputed until
a third has seen it; then the majority decides or, in a tie, the last reviewer.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.review.question_version import question_version
from kbe_graph.seeds import seed_of
from kbe_graph.types import Question, Review

State = Literal["open", "approved", "rejected", "revised", "disputed", "stale"]
STATES: tuple[State, ...] = ("open", "approved", "rejected", "revised", "disputed", "stale")
_DECIDED: Mapping[str, State] = {"approve": "approved", "reject": "rejected", "revise": "revised"}
_DIGITS = 1 << 32


@dataclass(frozen=True, slots=True)
class Overlap:
    """The share of questions with two reviewers, drawn with a seed. Raises InputError outside 0 to 1."""

    share: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise InputError(f"the overlap is {self.share!r}; give a share from 0 to 1")

    def needed(self, question: str) -> int:
        """Compute the number of reviewers that a question needs; a new version needs as many as the first one."""
        drawn = seed_of("overlap", self.seed, first_version(question)) % _DIGITS < self.share * _DIGITS
        return 2 if drawn else 1


class ReviewedItem(NamedTuple):
    """A question with the options that reviewers see and its version."""

    question: Question
    options: tuple[str, ...]
    version: str


class QuestionState(NamedTuple):
    """The state of a question: the decisions that count, one per reviewer, in the order of the reviewers' first ones.

    ``missing`` is the number of reviewers that it still needs; ``deciding`` is the decision that determines its state.
    """

    question: str
    state: State
    counted: tuple[Review, ...] = ()
    missing: int = 1
    deciding: Review | None = None

    @property
    def reviewers(self) -> tuple[str, ...]:
        """The reviewers whose decisions count."""
        return tuple(review.reviewer for review in self.counted)

    def needs(self, reviewer: str) -> bool:
        """Return True if the question still needs a reviewer, and this one has not decided it."""
        return self.missing > 0 and reviewer not in self.reviewers


def first_version(question: str) -> str:
    """Get the id of the original question of a revised one; any other id is returned unchanged.

    >>> first_version("own/val/1@demo/2.1")
    'own/val/1@demo/2'
    """
    before, _, number = question.rpartition(".")
    return before if number.isdecimal() and before.rpartition("/")[2].isdecimal() and "@" in before else question


def reviewed_item(question: Question, options: Sequence[str] = ()) -> ReviewedItem:
    """Combine a question with its options and its version."""
    return ReviewedItem(question, tuple(options), question_version(question, options))


def number_of(review: Review) -> int:
    """Extract the number of a decision among those of its reviewer on its question."""
    number = review.id.rpartition("|")[2]
    return int(number) if number.isdecimal() else 0


def standing(reviews: Iterable[Review]) -> dict[str, Review]:
    """Find the decision of each reviewer on a question that counts, in the order of the reviewers' first ones.

    Each undo revokes the reviewer's latest decision still in effect.
    """
    stacks: dict[str, list[Review]] = defaultdict(list)
    for review in sorted(reviews, key=lambda review: (review.time, number_of(review))):
        if review.verdict != "undo":
            stacks[review.reviewer].append(review)
        elif stacks[review.reviewer]:
            stacks[review.reviewer].pop()
    ordered = sorted((stack[0].time, reviewer) for reviewer, stack in stacks.items() if stack)
    return {reviewer: stacks[reviewer][-1] for _, reviewer in ordered}


def question_states(
    items: Iterable[ReviewedItem], reviews: Iterable[Review], overlap: Overlap | None = None
) -> dict[str, QuestionState]:
    """Compute the state of each question, including new versions, by id.

    The reviewer who revises a question approves the new version.
    """
    overlap = overlap or Overlap()
    by_question: dict[str, list[Review]] = defaultdict(list)
    for review in reviews:
        by_question[review.question].append(review)
    states: dict[str, QuestionState] = {}
    for item in items:
        own = by_question.get(item.question.id, [])
        if item.question.status == "revised":
            own = [*_makers(item, by_question.get(item.question.parent, ())), *own]
        states[item.question.id] = _state(item, own, overlap.needed(item.question.id))
    return states


def _makers(item: ReviewedItem, of_parent: Iterable[Review]) -> Iterator[Review]:
    for review in standing(of_parent).values():
        if review.verdict == "revise" and made_question(review) == item.question.id:
            yield replace(review, question=item.question.id, version=item.version, verdict="approve")


def made_question(review: Review) -> str:
    """Extract the id of the new version that a decision created; empty if there is none."""
    return str(json.loads(review.after).get("question", "")) if review.after else ""


def _state(item: ReviewedItem, reviews: Sequence[Review], needed: int) -> QuestionState:
    counted = tuple(review for review in standing(reviews).values() if review.version == item.version)
    id_ = item.question.id
    if not counted:
        return QuestionState(id_, "stale" if standing(reviews) else "open", (), needed)
    deciding = _deciding(counted)
    if deciding is None:
        return QuestionState(id_, "disputed", counted, 1)
    return QuestionState(id_, _DECIDED[deciding.verdict], counted, max(0, needed - len(counted)), deciding)


def _deciding(counted: Sequence[Review]) -> Review | None:
    kinds = Counter((review.verdict, review.after) for review in counted)
    (kind, most), *others = kinds.most_common()
    if others and others[0][1] == most:
        return counted[-1] if len(counted) > 2 else None
    return next(review for review in reversed(counted) if (review.verdict, review.after) == kind)


def waiting_for(
    states: Mapping[str, QuestionState], reviewer: str, *, replaced: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """List the questions that await a reviewer: first those that need one, then the disputed ones.

    ``replaced`` are the questions that a new version has replaced.
    """
    needing = [state for id_, state in states.items() if id_ not in replaced and state.needs(reviewer)]
    return (
        [state.question for state in needing if state.state != "disputed"],
        [state.question for state in needing if state.state == "disputed"],
    )
