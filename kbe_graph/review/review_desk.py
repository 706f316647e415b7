"""The desk that takes decisions: each is checked whole, then stored in one transaction with all that it causes."""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, get_args

from kbe_graph.errors import InputError
from kbe_graph.facts.pack import FactVerdict, Key, add_verdict
from kbe_graph.graph_access import GraphAccess
from kbe_graph.review.reviewed_items import read_items
from kbe_graph.review.revision import Revision, new_version, question_fields, refusals, revised_form
from kbe_graph.review.state import ReviewedItem, first_version, standing
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


class Opinions(NamedTuple):
    """A reviewer's statements on a question besides the verdict; ``Review`` describes each field."""

    criteria: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    options: tuple[tuple[str, str], ...] = ()
    wrong_facts: tuple[str, ...] = ()
    seconds: float = 0.0


class MadeReview(NamedTuple):
    """A valid decision that is not stored yet, without an id. ``version`` is the new version that it makes, if any."""

    review: Review
    item: ReviewedItem
    version: ReviewedItem | None = None


class ReviewDesk:
    """The desk that takes decisions on the questions of a workspace."""

    def __init__(self, graph: GraphAccess) -> None:
        self._graph = graph

    @property
    def store(self) -> Store:
        """The open graph."""
        return self._graph.store

    def item(self, question: str) -> ReviewedItem:
        """Get a question as a reviewer sees it, by its id. Raises InputError if it does not exist."""
        return _one_of(self._family(question), question)

    def _family(self, question: str) -> list[ReviewedItem]:
        sample = sample_of_question(question)
        run = question.removeprefix(f"{sample}@").rpartition("/")[0]
        return read_items(self.store, run=None if run in {"", RAW} else run, samples=[sample])

    def decide(
        self,
        question: str,
        verdict: ReviewVerdict,
        *,
        reviewer: str,
        opinions: Opinions = Opinions(),  # noqa: B008 - a tuple
        revision: Revision | None = None,
        version: str = "",
        insist: bool = False,
    ) -> list[Review]:
        """Store a decision, and return it as stored, then the rejections of other questions that rest on a wrong fact.

        ``version`` is the one that the reviewer saw; ``insist`` accepts a new wording that a check refuses. Raises
        InputError if the question has changed or the decision is invalid.
        """
        made = self.make(
            question,
            verdict,
            reviewer=reviewer,
            opinions=opinions,
            revision=revision,
            version=version,
            insist=insist,
        )
        steps = [_step(made.item, triplet) for triplet in opinions.wrong_facts]
        others = [rejection for step in steps for rejection in self._rejections(made, step)]
        facts = [fact for step in steps if (fact := fact_of(step))]
        return self.write([made, *others], facts)

    def make(
        self,
        question: str,
        verdict: ReviewVerdict,
        *,
        reviewer: str,
        opinions: Opinions = Opinions(),  # noqa: B008 - a tuple
        revision: Revision | None = None,
        version: str = "",
        insist: bool = False,
    ) -> MadeReview:
        """Build a decision like ``decide``, without storing it; raises the same errors."""
        item = self.item(question)
        check_reviewer(reviewer)
        if version and version != item.version:
            raise InputError(f"{question!r} has changed since it was shown; look at it again")
        _check_verdict(verdict, revision, opinions)
        _check_opinions(item, opinions)
        if verdict == "undo" and reviewer not in standing(self.store.reviews([question])):
            raise InputError(f"{reviewer!r} has no decision on {question!r} to undo")
        made, after = (None, "") if revision is None else self._revised(item, revision, reviewer, insist=insist)
        review = Review(
            "",
            question,
            item.version,
            reviewer,
            time_now(),
            opinions.seconds,
            verdict,
            opinions.criteria,
            opinions.reason,
            opinions.options,
            wrong_facts=opinions.wrong_facts,
            before="" if verdict == "undo" else question_fields(item),
            after=after,
        )
        return MadeReview(review, item, made)

    def _revised(
        self, item: ReviewedItem, revision: Revision, reviewer: str, *, insist: bool
    ) -> tuple[ReviewedItem, str]:
        made = new_version(item, revision, reviewer=reviewer)
        against = self._refusals(made.question)
        if against and not insist:
            raise InputError(f"the new wording is refused ({'; '.join(against)}); change it, or keep it with `insist`")
        checks = {"against": against} if against else {}
        return made, question_fields(made, question=made.question.id, **checks)

    def check(self, question: str, revision: Revision) -> list[str]:
        """Run the text checks on a new wording and list the refusals. Raises InputError for an invalid revision."""
        return self._refusals(new_version(self.item(question), revision, reviewer="").question)

    def _refusals(self, made: Question) -> list[str]:
        [sample] = self.store.samples(ids=[made.sample])
        asked = {each.id: each for each in self.store.questions(samples=[made.sample])}
        first = asked.get(first_version(made.id))
        before = asked.get(first.parent) if first else None
        return refusals(made, sample, self.store.graphs([sample.id]).get(sample.id), before)

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

    def _rejections(self, made: MadeReview, step: Triplet) -> Iterable[MadeReview]:
        question, reviewer = made.item.question, made.review.reviewer
        reason = f"wrong fact: {step.subject.label} {step.relation} {step.object.label}"
        for each in self._resting_on(question, step):
            last = standing(self.store.reviews([each.id])).get(reviewer)
            opinions = Opinions(reason=reason, wrong_facts=_steps_on(each, step, question.sample))
            rejection = self.make(each.id, "reject", reviewer=reviewer, opinions=opinions)
            is_known = last is not None and (last.verdict, last.version) == ("reject", rejection.item.version)
            if each.id != question.id and not is_known:
                yield rejection

    def write(self, made: Sequence[MadeReview], wrong: Sequence[Key] = ()) -> list[Review]:
        """Store decisions in one transaction, with the versions that they make, and mark facts as ``wrong``."""
        loaded = [each.item.question for each in made if each.item.question.status == "loaded"]
        versions = [each.version for each in made if each.version]
        forms = [form for version in versions if (form := revised_form(version))]

        def mark_facts() -> None:
            for fact in wrong:
                review = made[0].review
                add_verdict(
                    self._graph.folder.review, fact, FactVerdict("wrong", f"{review.reviewer} on {review.question}")
                )

        questions = [*loaded, *(version.question for version in versions)]
        return self.store.save_reviews(ReviewSave([each.review for each in made], questions, forms, mark_facts))


def fact_of(triplet: Triplet) -> Key | None:
    """Get the fact key of a triplet, from its concepts; None if they are not known."""
    if triplet.graph == "visual" or not (triplet.subject.concept and triplet.object.concept):
        return None
    return triplet.subject.concept, triplet.relation, triplet.object.concept


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


def _one_of(items: Iterable[ReviewedItem], question: str) -> ReviewedItem:
    item = next((each for each in items if each.question.id == question), None)
    if item is None:
        raise InputError(f"no question {question!r} to review; give the id of a question of this workspace")
    return item


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


def _check_verdict(verdict: ReviewVerdict, revision: Revision | None, opinions: Opinions) -> None:
    verdicts = [each for each in get_args(ReviewVerdict) if each != "rate"]
    if verdict not in verdicts:
        raise InputError(f"the verdict is {verdict!r}; it must be one of {', '.join(verdicts)}")
    if (verdict == "revise") != (revision is not None):
        raise InputError("the verdict 'revise' needs a new wording, and no other verdict takes one")
    if opinions.wrong_facts and verdict != "reject":
        raise InputError("a question that rests on a wrong fact can only be rejected; reject it, or unmark the fact")


def _check_opinions(item: ReviewedItem, opinions: Opinions) -> None:
    wrong = [option for option in item.options if option != item.question.answer]
    for what, pairs, names, words in (
        ("criterion", opinions.criteria, CRITERIA, OPINIONS),
        ("option", opinions.options, wrong, OPTION_FLAGS),
    ):
        for name, word in pairs:
            if name not in names:
                raise InputError(f"no {what} {name!r}; available: {', '.join(names) or 'none'}")
            if word not in words:
                raise InputError(f"{what} {name!r} is {word!r}; give {' or '.join(words)}")
    for triplet in opinions.wrong_facts:
        _step(item, triplet)
    if len(opinions.reason) > MOST_REASON:
        raise InputError(f"the reason has {len(opinions.reason):,} characters; the limit is {MOST_REASON:,}")
    if not 0 <= opinions.seconds < math.inf:
        raise InputError(f"the seconds are {opinions.seconds!r}; give a number of 0 or more")
