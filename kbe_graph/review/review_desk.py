"""The desk that takes decisions: each is checked whole, then stored in one transaction with all that it causes."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, get_args

from kbe_graph.errors import InputError
from kbe_graph.facts.pack import FactVerdict, Key, add_verdict
from kbe_graph.review.consequences import Revision, new_version, question_fields, refusals, revised_form
from kbe_graph.review.state import ReviewedItem, first_version, read_items, standing
from kbe_graph.store import Store
from kbe_graph.store.reviews import ReviewSave
from kbe_graph.text import check_name
from kbe_graph.types import (
    CRITERIA,
    OPINIONS,
    OPTION_FLAGS,
    RAW,
    Question,
    Review,
    ReviewVerdict,
    Triplet,
    sample_of_question,
)

LONGEST = 86_400.0  # seconds on an item
MOST_REASON = 4_000  # characters


class NotInsistedError(InputError):
    """A decision that is not stored unless the reviewer insists on it."""


class MadeReview(NamedTuple):
    """A valid decision on an item, or a rating, that is not stored yet, without an id; ``version`` is what it makes."""

    review: Review
    item: ReviewedItem | None = None
    version: ReviewedItem | None = None


class ReviewDesk:
    """The desk that takes decisions on the questions of a graph; the file ``verdicts`` holds those on facts."""

    def __init__(self, store: Store, verdicts: Path) -> None:
        self.store, self._verdicts = store, verdicts

    def item(self, question: str) -> ReviewedItem:
        """Get a question as a reviewer sees it, by its id. Raises InputError if it does not exist."""
        sample = sample_of_question(question)
        run = question.removeprefix(f"{sample}@").rpartition("/")[0]
        for item in read_items(self.store, run=None if run in {"", RAW} else run, samples=[sample]):
            if item.question.id == question:
                return item
        raise InputError(f"no question {question!r} to review; give the id of a question of this workspace")

    def decide(self, given: Review, revision: Revision | None = None, *, insist: bool = False) -> list[Review]:
        """Store a decision, and return it as stored, then the rejections of other questions that rest on a wrong fact.

        Raises InputError if the question has changed or the decision is invalid.
        """
        made, item = self.make(given, revision, insist=insist), self.item(given.question)
        steps = [_step(item, triplet) for triplet in given.wrong_facts]
        others = [rejection for step in steps for rejection in self._rejections(item.question, given.reviewer, step)]
        return self.write([made, *others], [fact for step in steps if (fact := fact_of(step))])

    def make(self, given: Review, revision: Revision | None = None, *, insist: bool = False) -> MadeReview:
        """Check a decision and complete it, without storing it.

        What is ``given`` needs no id, no time and no fields of the question; its ``version`` is the one that the
        reviewer saw, if known. ``insist`` accepts a new wording that a check refuses. Raises the same errors, and
        NotInsistedError.
        """
        item, question, reviewer = self.item(given.question), given.question, check_reviewer(given.reviewer)
        if given.version and given.version != item.version:
            raise InputError(f"{question!r} has changed since it was shown; look at it again")
        if (given.verdict == "revise") != (revision is not None):
            raise InputError("the verdict 'revise' needs a new wording, and no other verdict takes one")
        _check(item, given)
        if given.verdict == "undo" and reviewer not in standing(self.store.reviews([question])):
            raise InputError(f"{reviewer!r} has no decision on {question!r} to undo")
        version, after = (None, "") if revision is None else self._revised(item, revision, reviewer, insist=insist)
        before = "" if given.verdict == "undo" else question_fields(item)
        review = replace(given, version=item.version, time=time_now(), before=before, after=after)
        return MadeReview(review, item, version)

    def _revised(
        self, item: ReviewedItem, revision: Revision, reviewer: str, *, insist: bool
    ) -> tuple[ReviewedItem, str]:
        version = new_version(item, revision, reviewer=reviewer)
        made = version.question
        [sample] = self.store.samples(ids=[made.sample])
        asked = {each.id: each for each in self.store.questions(samples=[made.sample])}
        first = asked.get(first_version(made.id))
        before = asked.get(first.parent) if first else None
        against = refusals(made, sample, self.store.graphs([sample.id]).get(sample.id), before)
        if against and not insist:
            raise NotInsistedError(
                f"a check refuses the new wording ({'; '.join(against)}); change it, or insist on it"
            )
        return version, question_fields(version, question=made.id, **({"against": against} if against else {}))

    def resting_on(self, question: str, triplet: str) -> list[str]:
        """Find the ids of all questions, of any sample and run, whose key has a fact: a triplet of a question's key.

        Raises InputError for any other triplet.
        """
        item = self.item(question)
        return [each.id for each in self._resting_on(item.question, _step(item, triplet))]

    def _resting_on(self, question: Question, step: Triplet) -> list[Question]:
        asked = [*self.store.questions(), *self.store.questions(status="revised")]
        resting = [each for each in asked if _steps_on(each, step, question.sample)]
        return sorted(resting, key=lambda each: each.id)

    def _rejections(self, question: Question, reviewer: str, step: Triplet) -> Iterable[MadeReview]:
        reason = f"wrong fact: {step.subject.label} {step.relation} {step.object.label}"
        for each in self._resting_on(question, step):
            last = standing(self.store.reviews([each.id])).get(reviewer)
            wrong = _steps_on(each, step, question.sample)
            rejection = self.make(new_review(each.id, "reject", reviewer, reason=reason, wrong_facts=wrong))
            is_known = last is not None and (last.verdict, last.version) == ("reject", rejection.review.version)
            if each.id != question.id and not is_known:
                yield rejection

    def write(self, made: Sequence[MadeReview], wrong: Sequence[Key] = ()) -> list[Review]:
        """Store decisions in one transaction, with the versions that they make, and mark facts as ``wrong``."""
        loaded = [each.item.question for each in made if each.item and each.item.question.status == "loaded"]
        versions = [each.version for each in made if each.version]
        forms = [form for version in versions if (form := revised_form(version))]

        def mark_facts() -> None:
            for fact in wrong:
                verdict = FactVerdict("wrong", f"{made[0].review.reviewer} on {made[0].review.question}")
                add_verdict(self._verdicts, fact, verdict)

        questions = [*loaded, *(version.question for version in versions)]
        return self.store.save_reviews(ReviewSave([each.review for each in made], questions, forms, mark_facts))


def fact_of(triplet: Triplet) -> Key | None:
    """Get the fact key of a triplet, from its concepts; None if they are not known."""
    if triplet.graph == "visual" or not (triplet.subject.concept and triplet.object.concept):
        return None
    return triplet.subject.concept, triplet.relation, triplet.object.concept


def new_review(question: str, verdict: Any, reviewer: str, **more: Any) -> Review:
    """Build a decision that the desk can take, from its words as they were given."""
    return Review("", question, more.pop("version", ""), reviewer, "", more.pop("seconds", 0.0), verdict, **more)


def time_now() -> str:
    """Get the current time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def check_reviewer(reviewer: str) -> str:
    """Return the name of a reviewer. Raises InputError for one that is blank, or that has bars or hidden characters."""
    if not reviewer.strip() or reviewer != reviewer.strip() or "|" in reviewer:
        raise InputError(f"the reviewer is {reviewer!r}; give a name without bars, and without spaces around it")
    return check_name("reviewer", reviewer)


def seconds_of(text: str) -> float:
    """Parse the seconds in a form or a file, at most a day; anything invalid counts as 0."""
    try:
        seconds = float(text or 0)
    except ValueError:
        return 0.0
    return round(min(max(seconds, 0.0), LONGEST), 1) if math.isfinite(seconds) else 0.0


def _step(item: ReviewedItem, triplet: str) -> Triplet:
    key = item.question.key
    step = next((each for each in key if each.id == triplet), None)
    if step is None:
        ids = ", ".join(each.id for each in key)
        raise InputError(f"{item.question.id!r} does not rest on triplet {triplet!r}; its key has {ids}")
    return step


def _steps_on(question: Question, step: Triplet, sample: str) -> tuple[str, ...]:
    fact = fact_of(step)
    return tuple(
        each.id
        for each in question.key
        if (fact is not None and fact_of(each) == fact) or (question.sample == sample and each.id == step.id)
    )


def _check(item: ReviewedItem, given: Review) -> None:
    verdicts = [each for each in get_args(ReviewVerdict) if each != "rate"]
    if given.verdict not in verdicts:
        raise InputError(f"the verdict is {given.verdict[:60]!r}; it must be one of {', '.join(verdicts)}")
    if given.wrong_facts and given.verdict != "reject":
        raise InputError("a question that rests on a wrong fact can only be rejected; reject it, or unmark the fact")
    for triplet in given.wrong_facts:
        _step(item, triplet)
    if len(given.reason) > MOST_REASON:
        raise InputError(f"the reason has {len(given.reason):,} characters; the limit is {MOST_REASON:,}")
    if not 0 <= given.seconds <= LONGEST:
        raise InputError(f"the seconds are {given.seconds!r}; give a number from 0 to {LONGEST:,.0f}, a day")
    wrong = [option for option in item.options if option != item.question.answer]
    for what, pairs, names, words in (
        ("criterion", given.criteria, CRITERIA, OPINIONS),
        ("option", given.options, wrong, OPTION_FLAGS),
    ):
        for name, word in pairs:
            if name not in names:
                raise InputError(f"no {what} {name!r}; available: {', '.join(names) or 'none'}")
            if word not in words:
                raise InputError(f"{what} {name!r} is {word!r}; give {' or '.join(words)}")
