"""The questions under review, with their versions, and the state of each according to the decisions on it.

The last decision of each reviewer counts, without undone ones. If two reviewers differ, the question is disputed until
a third has seen it; then the majority decides or, in a tie, the last reviewer.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Literal, NamedTuple

from kbe_graph.brief import brief
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.store import Store
from kbe_graph.text import fold, in_order
from kbe_graph.types import RAW, TWIN, Question, Review, Sample, seed_of

State = Literal["open", "approved", "rejected", "revised", "disputed", "stale", "rated"]
STATES: tuple[State, ...] = ("open", "approved", "rejected", "revised", "disputed", "stale", "rated")
_DECIDED: Mapping[str, State] = {"approve": "approved", "reject": "rejected", "revise": "revised"}
_DIGITS = 1 << 32
_VERSION = re.compile(r"(.+@.+/\d+(?:t[0-9a-f]{8})?)\.\d+", re.DOTALL)  # of a question or a twin


@brief("question options")
class ReviewedItem(NamedTuple):
    """A question with the options that reviewers see and its version: a hash of everything that they see."""

    question: Question
    options: tuple[str, ...]
    version: str


@brief()
class QuestionState(NamedTuple):
    """The state of a question: the decisions that count, one per reviewer, in the order in which they were made.

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


def reviewed_item(question: Question, options: Sequence[str] = ()) -> ReviewedItem:
    """Combine a question with its options and its version; the order of the options does not matter for it."""
    key = [[triplet.subject.label, triplet.relation, triplet.object.label] for triplet in question.key]
    seen = [question.text, question.answer, list(question.aliases), sorted(options), key]
    version = hashlib.sha256(json.dumps(seen, ensure_ascii=False).encode()).hexdigest()[:16]
    return ReviewedItem(question, tuple(options), version)


def read_items(
    store: Store, *, run: str | None = None, benchmark: str | None = None, samples: Sequence[str] | None = None
) -> list[ReviewedItem]:
    """Read a run's questions, or the raw ones if no run is given, with reviewers' versions, sorted by id.

    ``benchmark`` and ``samples`` (ids) restrict them. Raises InputError for a benchmark that was not loaded.
    """
    questions = [
        question
        for status in ("kept", "revised")
        for question in store.questions(run=run or RAW, status=status, samples=samples)
    ]
    owners = {sample.id: sample for sample in store.samples(benchmark=benchmark, ids=samples)}
    if benchmark is not None and not owners:
        raise store.no_benchmark(benchmark)
    if run is None:
        asked = {question.sample for question in questions if question.status == "kept"}
        questions += [raw_question(sample) for id_, sample in owners.items() if sample.question and id_ not in asked]
    own = [question for question in questions if question.sample in owners]
    options = read_options(store, own, owners)
    items = (reviewed_item(question, options[question.id]) for question in own)
    return sorted(items, key=lambda item: in_order(item.question.id))


def read_options(
    store: Store, questions: Iterable[Question], samples: Mapping[str, Sample]
) -> dict[str, tuple[str, ...]]:
    """Read the options of questions by id: those of their multiple-choice form, or else the benchmark's for raw ones.

    Options that do not include the answer are left out.
    """
    asked = list(questions)
    options = {question.id: samples[question.sample].choices for question in asked if question.kind == "raw"}
    options |= {form.question: form.options for form in store.forms_of([each.id for each in asked], form="choice")}
    return {each.id: _about(each.answer, options.get(each.id, ())) for each in asked}


def _about(answer: str, options: tuple[str, ...]) -> tuple[str, ...]:
    return options if fold(answer) in map(fold, options) else ()


def first_version(question: str) -> str:
    """Get the id of the original question of a revised one; any other id is returned unchanged.

    >>> first_version("own/val/1@demo/2.1"), first_version("own/val/1@demo/1t0a1b2c3d.7")
    ('own/val/1@demo/2', 'own/val/1@demo/1t0a1b2c3d')
    """
    match = _VERSION.fullmatch(question)
    return match[1] if match else question


def made_question(review: Review) -> str:
    """Extract the id of the new version that a decision created; empty if there is none."""
    return str(json.loads(review.after).get("question", "")) if review.after else ""


def standing(reviews: Iterable[Review]) -> dict[str, Review]:
    """Find the decision of each reviewer on a question that counts, in the order of the reviewers' first ones.

    Each undo revokes the reviewer's last decision still in effect. A reviewer's decisions are in the order in which
    they were stored here, whatever a clock says.
    """
    stacks: dict[str, list[Review]] = defaultdict(list)
    for review in sorted(reviews, key=attrgetter("number")):
        if review.verdict == "undo":
            del stacks[review.reviewer][-1:]
        elif review.verdict != "rate":
            stacks[review.reviewer].append(review)
    ordered = sorted((stack[0].time, reviewer) for reviewer, stack in stacks.items() if stack)
    return {reviewer: stacks[reviewer][-1] for _, reviewer in ordered}


def question_states(
    items: Iterable[ReviewedItem], reviews: Iterable[Review], overlap: float = 0.0, seed: int = 0
) -> dict[str, QuestionState]:
    """Compute the state of each question, including new versions, by id.

    The reviewer who revises a question approves the new version. ``overlap`` is the share of questions that need two
    reviewers, drawn with the seed; a new version needs as many as the first one.
    """
    by_question: dict[str, list[Review]] = defaultdict(list)
    for review in reviews:
        by_question[review.question].append(review)
    states: dict[str, QuestionState] = {}
    for item in items:
        id_ = item.question.id
        own = by_question.get(id_, [])
        if item.question.status == "revised":
            own = [*_makers(item, by_question.get(item.question.parent, ())), *own]
        has_two = seed_of("overlap", seed, first_version(id_)) % _DIGITS < overlap * _DIGITS
        states[id_] = _state(item, own, 2 if has_two else 1)
    return states


def _makers(item: ReviewedItem, of_parent: Iterable[Review]) -> Iterator[Review]:
    for review in standing(of_parent).values():
        if review.verdict == "revise" and made_question(review) == item.question.id:
            id_ = f"{item.question.id}|{review.reviewer}|"  # no number: before each decision on the version itself
            yield replace(
                review, id=id_, question=item.question.id, version=item.version, verdict="approve", before="", after=""
            )


def _state(item: ReviewedItem, reviews: Sequence[Review], needed: int) -> QuestionState:
    id_, last = item.question.id, standing(reviews).values()
    counted = tuple(review for review in last if review.version == item.version)
    if not counted:
        return QuestionState(id_, "stale" if last else "open", (), needed)
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


def current_items(items: Iterable[ReviewedItem], states: Mapping[str, QuestionState]) -> list[ReviewedItem]:
    """Select the current version of each question; versions that were undone are left out."""
    by_id = {item.question.id: item for item in items}
    current = []
    for item in by_id.values():
        if item.question.status != "revised":
            newest = item
            while (state := states[newest.question.id]).state == "revised" and state.deciding:
                if (made := made_question(state.deciding)) not in by_id:
                    break
                newest = by_id[made]
            current.append(newest)
    return current


def row_name(question: Question) -> str:
    """Return the row in which a question is counted: raw, re-selected or its hop."""
    return {"raw": "raw", "reselected": "re-selected", TWIN: TWIN}.get(question.kind, f"hop {question.hop}")


def state_in_words(item: ReviewedItem, states: Mapping[str, QuestionState]) -> State:
    """Return the state of the current version of a question: an approved new version is a revised question."""
    state = states[item.question.id].state
    return "revised" if item.question.status == "revised" and state == "approved" else state
