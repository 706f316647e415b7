"""Recording of reviewers' decisions: each is validated, written to the log, then to the graph."""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.review.log import ReviewLog
from kbe_graph.review.question_version import question_fields
from kbe_graph.review.review_record import FLAGS, OPINIONS, VERDICTS, review_id, time_now
from kbe_graph.review.reviewed_items import read_items
from kbe_graph.review.revision import (
    Revision,
    after_fields,
    new_version,
    refusal_in_words,
    refusals,
    revised_form,
    version_made,
)
from kbe_graph.review.state import ReviewedItem, first_version, number_of, standing
from kbe_graph.store import Evolved, Store
from kbe_graph.text import check_name
from kbe_graph.types import RAW, Decision, Question, Review, sample_of_question
from kbe_graph.types.review import CRITERIA, Opinion, OptionFlag, ReviewVerdict


class Opinions(NamedTuple):
    """A reviewer's statements on a question besides the verdict; ``Review`` describes each field."""

    criteria: tuple[tuple[str, Opinion], ...] = ()
    reason: str = ""
    options: tuple[tuple[str, OptionFlag], ...] = ()
    pick: str = ""
    wrong_facts: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ReviewDesk:
    """The recorder of decisions on the questions of a graph; it is thread-safe and handles one at a time.

    Call ``open`` first: it recovers decisions that an interrupted process left only in the log. Hold ``lock`` to record
    several related decisions together.
    """

    store: Store
    log: ReviewLog
    lock: threading.RLock = field(default_factory=threading.RLock)
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def open(self) -> int:
        """Save the decisions that are in the log but not in the graph, and return their number.

        Decisions on questions that are not in the graph stay only in the log.
        """
        with self.lock:
            logged = self.log.read()
            for review in logged:
                self.reserve(review)
            stored = {review.id for review in self.store.reviews()} if logged else set()
            missing = [review for review in logged if review.id not in stored]
            return self._save(missing) if missing else 0

    def reserve(self, review: Review) -> None:
        """Reserve the number of a decision, so that no other one gets it."""
        place = review.question, review.reviewer
        self._numbers[place] = max(self._numbers.get(place, -1), number_of(review))

    def item(self, question: str) -> ReviewedItem:
        """Get a question as a reviewer sees it, by its id. Raises InputError if it does not exist."""
        return self._item(question, self._family(question))

    def _item(self, question: str, family: Iterable[ReviewedItem]) -> ReviewedItem:
        item = next((each for each in family if each.question.id == question), None)
        if item is None:
            raise InputError(f"no question {question!r} to review; give the id of a question of this workspace")
        return item

    def _family(self, question: str) -> list[ReviewedItem]:
        sample = sample_of_question(question)
        run = question.removeprefix(f"{sample}@").rpartition("/")[0]
        return read_items(self.store, run=None if run in {"", RAW} else run, samples=[sample])

    def check(self, question: str, revision: Revision) -> tuple[Decision, ...]:
        """Run the text checks on a new wording and return the refusals. Raises InputError for an invalid revision."""
        family = self._family(question)
        made = new_version(self._item(question, family), revision, reviewer="")
        return self._refusals(made.question, family)

    def _refusals(self, made: Question, family: Sequence[ReviewedItem]) -> tuple[Decision, ...]:
        [sample] = self.store.samples(ids=[made.sample])
        before = self._before(first_version(made.id), family)
        return refusals(made, sample, self.store.graphs([sample.id]).get(sample.id), before)

    def _before(self, first: str, family: Sequence[ReviewedItem]) -> Question | None:
        parent = next((each.question.parent for each in family if each.question.id == first), "")
        asked = self.store.questions(samples=[sample_of_question(first)]) if parent else []
        return next((question for question in asked if question.id == parent), None)

    def decide(
        self,
        question: str,
        verdict: ReviewVerdict,
        *,
        reviewer: str,
        opinions: Opinions | None = None,
        revision: Revision | None = None,
        version: str = "",
        insist: bool = False,
    ) -> Review:
        """Record a decision and return it as stored.

        ``version`` is the one that the reviewer saw; ``insist`` accepts a new wording that a check refuses. Raises
        InputError if the question has changed or the decision is invalid.
        """
        with self.lock:
            review = self.make(
                question,
                verdict,
                reviewer=reviewer,
                opinions=opinions,
                revision=revision,
                version=version,
                insist=insist,
            )
            self.write([review])
            return review

    def make(
        self,
        question: str,
        verdict: ReviewVerdict,
        *,
        reviewer: str,
        opinions: Opinions | None = None,
        revision: Revision | None = None,
        version: str = "",
        insist: bool = False,
    ) -> Review:
        """Build a decision like ``decide``, without writing it; raises the same errors."""
        family = self._family(question)
        item, opinions = self._item(question, family), opinions or Opinions()
        _check_reviewer(reviewer)
        if version and version != item.version:
            raise InputError(f"{question!r} has changed since it was shown; look at it again")
        _check_opinions(item, opinions)
        if verdict == "undo" and reviewer not in standing(self.store.reviews([question])):
            raise InputError(f"{reviewer!r} has no decision on {question!r} to undo")
        return Review(
            review_id(question, reviewer, self._next(question, reviewer)),
            question,
            item.version,
            reviewer,
            time_now(),
            opinions.seconds,
            _checked_verdict(verdict, revision),
            opinions.criteria,
            opinions.reason,
            opinions.options,
            opinions.pick,
            opinions.wrong_facts,
            before="" if verdict == "undo" else question_fields(item.question, item.options),
            after=self._after(item, family, revision, reviewer, insist=insist) if revision else "",
        )

    def _next(self, question: str, reviewer: str) -> int:
        numbers = [number_of(review) for review in self.store.reviews([question], reviewer=reviewer)]
        return max((*numbers, self._numbers.get((question, reviewer), -1))) + 1

    def _after(
        self, item: ReviewedItem, family: Sequence[ReviewedItem], revision: Revision, reviewer: str, *, insist: bool
    ) -> str:
        made = new_version(item, revision, reviewer=reviewer)
        against = self._refusals(made.question, family)
        if against and not insist:
            checks = "; ".join(map(refusal_in_words, against))
            raise InputError(f"the new wording is refused ({checks}); change it, or keep it with `insist`")
        return after_fields(made, against)

    def write(self, reviews: Sequence[Review]) -> None:
        """Write decisions to the log, synced to disk, then to the graph with the versions that they create."""
        with self.lock:
            self.log.append(reviews)
            for review in reviews:
                self.reserve(review)
            self._save(reviews)

    def _save(self, reviews: Sequence[Review]) -> int:
        saved = 0
        pending = list(reviews)
        while pending:  # a version that a decision creates may have decisions too
            present = self.present([review.question for review in pending])
            ready = [review for review in pending if review.question in present]
            if not ready:
                break
            self._save_versions(ready)
            self.store.save_reviews(ready)
            saved += len(ready)
            pending = [review for review in pending if review.question not in present]
        return saved

    def present(self, questions: Sequence[str]) -> set[str]:
        """Filter questions to those in the graph; raw ones of samples without a graph are added to it."""
        present = self.store.question_ids(questions)
        raw = [id_ for id_ in questions if id_ not in present and id_.endswith(f"@{RAW}/0")]
        if raw:
            items = read_items(self.store, samples=sorted(map(sample_of_question, raw)))
            loaded = [item.question for item in items if item.question.id in raw]
            self.store.save_loaded(loaded)
            present |= {question.id for question in loaded}
        return present

    def _save_versions(self, reviews: Sequence[Review]) -> None:
        made = []
        for review in reviews:
            if review.after:
                parent = self.item(review.question).question
                made.append(version_made(review, parent))
        present = self.store.question_ids([each.question.id for each in made])
        fresh = [each for each in made if each.question.id not in present]
        self.store.save_questions([Evolved(each.question) for each in fresh])
        self.store.save_forms([form for each in fresh if (form := revised_form(each))])


def _check_reviewer(reviewer: str) -> None:
    if not reviewer.strip() or reviewer != reviewer.strip():
        raise InputError(f"the reviewer is {reviewer!r}; give a name without spaces around it")
    check_name("reviewer", reviewer)


def _checked_verdict(verdict: ReviewVerdict, revision: Revision | None) -> ReviewVerdict:
    if verdict not in VERDICTS:
        raise InputError(f"the verdict is {verdict!r}; it must be one of {', '.join(VERDICTS)}")
    if (verdict == "revise") != (revision is not None):
        raise InputError("the verdict 'revise' needs a new wording, and no other verdict takes one")
    return verdict


def _check_opinions(item: ReviewedItem, opinions: Opinions) -> None:
    rows = (
        ("criterion", opinions.criteria, CRITERIA, OPINIONS),
        ("option", opinions.options, tuple(option for option in item.options if option != item.question.answer), FLAGS),
    )
    for what, pairs, names, words in rows:
        for name, word in pairs:
            if name not in names:
                raise InputError(f"no {what} {name!r}; available: {', '.join(names) or 'none'}")
            if word not in words:
                raise InputError(f"{what} {name!r} is {word!r}; give {' or '.join(words)}")
    steps = [triplet.id for triplet in item.question.key]
    if strangers := [each for each in opinions.wrong_facts if each not in steps]:
        raise InputError(
            f"{item.question.id!r} does not rest on triplet {strangers[0]!r}; its key has {', '.join(steps)}"
        )
    if not 0 <= opinions.seconds < float("inf"):
        raise InputError(f"the seconds are {opinions.seconds!r}; give a number of 0 or more")
