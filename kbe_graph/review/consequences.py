"""Consequences of decisions: which questions are left out, with their chains; the wording that counts; revisions."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from kbe_graph.checks.path import PathLeak
from kbe_graph.checks.question_text import Clumsy, Flaw, WordedInstruction, WordedLeak
from kbe_graph.english.noun import is_noun
from kbe_graph.errors import InputError
from kbe_graph.review.state import (
    QuestionState,
    ReviewedItem,
    State,
    current_items,
    first_version,
    question_states,
    read_items,
    reviewed_item,
)
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import (
    IMAGE,
    RAW,
    Candidate,
    Entity,
    Fact,
    Provenance,
    Question,
    QuestionForm,
    Sample,
    SampleGraph,
    Triplet,
)

Reviewed = Literal["not-rejected", "undisputed", "approved", "all"]
"""Which questions to export: all but rejected; all but rejected and disputed; only approved; all."""
REVIEWED: tuple[Reviewed, ...] = get_args(Reviewed)
_LEFT_OUT: Mapping[Reviewed, tuple[State, ...]] = {
    "not-rejected": ("rejected",),
    "undisputed": ("rejected", "disputed"),
    "approved": ("rejected",),
    "all": (),
}


def given_out(
    items: Iterable[ReviewedItem], states: Mapping[str, QuestionState], reviewed: Reviewed = "not-rejected"
) -> dict[str, Question]:
    """Select the questions to export, each in its last version, by the id of their first version.

    A question whose key contains the new triplet of an excluded one is excluded too.
    """
    items = list(items)
    firsts, current = _versions(items, states)
    reasons = reasons_out(items, states, reviewed)
    chosen = {first: question for first, question in current.items() if first not in reasons}
    return {first: _as_given_out(question, firsts[first], current) for first, question in chosen.items()}


def reasons_out(
    items: Iterable[ReviewedItem], states: Mapping[str, QuestionState], reviewed: Reviewed = "not-rejected"
) -> dict[str, str]:
    """Name why decisions exclude questions from an export, by the id of their first version."""
    firsts, current = _versions(items, states)
    state_of = {first: states[question.id].state for first, question in current.items()}
    reasons = {first: f"{state} in review" for first, state in state_of.items() if state in _LEFT_OUT[reviewed]}
    for first in through(current.values(), [each[first] for first in reasons for each in (current, firsts)]):
        reasons.setdefault(first, "an earlier question of the chain is left out")
    if reviewed == "approved":
        for first in (first for first, state in state_of.items() if state != "approved"):
            reasons.setdefault(first, "not approved in review")
    return reasons


def _versions(
    items: Iterable[ReviewedItem], states: Mapping[str, QuestionState]
) -> tuple[dict[str, Question], dict[str, Question]]:
    items = list(items)
    firsts = {item.question.id: item.question for item in items if item.question.status != "revised"}
    return firsts, {first_version(item.question.id): item.question for item in current_items(items, states)}


def _as_given_out(question: Question, first: Question, current: Mapping[str, Question]) -> Question:
    parent = current[first.parent].id if first.parent in current else first.parent
    return replace(question, status="kept" if question.status == "revised" else question.status, parent=parent)


def through(questions: Iterable[Question], left_out: Iterable[Question]) -> set[str]:
    """Find the first versions of questions of later hops whose key contains the new triplet of an excluded one."""
    broken: dict[tuple[str, str], list[Question]] = defaultdict(list)
    for question in left_out:
        if question.hop > 0 and question.key:
            broken[question.run, question.sample].append(question)
    return {
        first_version(question.id)
        for question in questions
        for before in broken.get((question.run, question.sample), ())
        if question.hop > before.hop and before.key[-1].id in {triplet.id for triplet in question.key}
    }


def newest_versions(store: Store, run: str, samples: Sequence[str] | None = None) -> dict[str, Question]:
    """Read the newest versions of a run's questions that reviewers revised, by the id of the first version.

    Each replaces the first version and has its id.
    """
    made = store.questions(run=run, status="revised", samples=samples)
    if not made:
        return {}
    items = read_items(store, run=None if run == RAW else run, samples=sorted({each.sample for each in made}))
    firsts = {item.question.id: item.question for item in items}
    states = question_states(items, store.reviews([*firsts]))
    return {
        first: replace(question, id=first, parent=firsts[first].parent)
        for first, question in given_out(items, states).items()
        if question.id != first
    }


def newest(store: Store, questions: Sequence[Question]) -> list[Question]:
    """Replace questions by their newest versions, each with the id of the first."""
    samples = [question.sample for question in questions]
    versions = {
        id_: question
        for run in {question.run for question in questions}
        for id_, question in newest_versions(store, run, samples).items()
    }
    return [versions.get(question.id, question) for question in questions]


def stopped_samples(store: Store, run: str, hop: int) -> set[str]:
    """Find the samples whose previous question is excluded, so that this hop of the run does not continue from it."""
    stopped = _stopped(store, run, hop - 1)
    return stopped | _stopped(store, RAW, 0) if hop == 1 else stopped


def _stopped(store: Store, run: str, hop: int) -> set[str]:
    reviews = store.reviews(run=run)
    if not reviews:
        return set()
    items = read_items(store, run=None if run == RAW else run)
    chosen = given_out(items, question_states(items, reviews))
    asked = (item.question for item in items if item.question.status == "kept" and item.question.hop == hop)
    if run != RAW:
        return {each.sample for each in asked if each.id not in chosen}
    return {each.sample for each in asked if each.end.noun and not (each.id in chosen and chosen[each.id].end.noun)}


CHECKS = (WordedInstruction(), WordedLeak(), Flaw(), Clumsy())
LEAST_OPTIONS = 2
MOST_TEXT = 10_000  # characters of a field
_TEXTS, _LISTS = ("text", "answer"), ("aliases", "options")
MOST_VERSIONS = 10**9  # numbers, enough for versions of two workspaces not to collide


Revision = Mapping[str, Any]
"""The fields of a question that a reviewer rewrote: text and answer, and lists of aliases and options."""


def _fields_of(item: ReviewedItem, revision: Revision) -> dict[str, Any]:
    question = item.question
    for name, value in revision.items():
        if name not in (*_TEXTS, *_LISTS) or isinstance(value, str) != (name in _TEXTS):
            raise InputError(f"cannot revise {name!r} to {value!r}; give texts as text and answer, and lists as others")
    text, answer = (_plain(revision.get(name, getattr(question, name))) for name in _TEXTS)
    aliases = _unique(revision.get("aliases", question.aliases))
    options = _unique(revision["options"] if "options" in revision else _with_answer(item, answer))
    if not text or not answer:
        raise InputError(f"{question.id!r} needs a text and an answer; write both, or reject it")
    if any(len(each) > MOST_TEXT for each in (text, answer, *aliases, *options)):
        raise InputError(f"a field of {question.id!r} has over {MOST_TEXT:,} characters; shorten it")
    if options and (len(options) < LEAST_OPTIONS or fold(answer) not in map(fold, options)):
        raise InputError(f"{question.id!r} needs at least two options, including {answer!r}")
    if (text, answer, aliases, options) == (question.text, question.answer, question.aliases, item.options):
        raise InputError(f"the revision of {question.id!r} changes nothing; change it, or approve the question")
    return {"text": text, "answer": answer, "aliases": aliases, "options": options}


def new_version(item: ReviewedItem, revision: Revision, *, reviewer: str) -> ReviewedItem:
    """Build the new version of a question, with an id derived from its content and reviewer; raises InputError."""
    fields = _fields_of(item, revision)
    content = json.dumps([item.question.id, item.version, reviewer, *fields.values()])
    number = int.from_bytes(hashlib.sha256(content.encode()).digest()[:8], "big") % MOST_VERSIONS
    parent, options = item.question, fields.pop("options")
    made = replace(
        parent,
        id=f"{first_version(parent.id)}.{number}",
        parent=parent.id,
        provenance=Provenance(f"{reviewer} (review)"),
        status="revised",
        reason="",
        **fields,
    )
    same = fold(made.answer) in map(fold, (parent.answer, *parent.aliases))
    return reviewed_item(made if same or not made.key else with_new_end(made, parent.end), options)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_plain, names))))


def _with_answer(item: ReviewedItem, answer: str) -> tuple[str, ...]:
    return tuple(answer if fold(option) == fold(item.question.answer) else option for option in item.options)


def with_new_end(made: Question, end: Entity) -> Question:
    """Let the key of a question that has another answer now end in it, with the maker of the change as its source."""
    name = made.answer.upper() if end.name.isupper() else made.answer
    node = Entity(name, noun=is_noun(made.text, made.answer).keep)
    ends = ((node if each == end else each for each in (step.subject, step.object)) for step in made.key)
    *before, last = (
        replace(step, subject=first, object=second) for step, (first, second) in zip(made.key, ends, strict=True)
    )
    last = replace(last, source=made.provenance.maker, source_ref="", evidence="")
    return replace(made, concept="", key=(*before, last))


def question_fields(item: ReviewedItem, **more: object) -> str:
    """Encode the fields that a reviewer can revise, and ``more``, as JSON."""
    question = item.question
    fields: dict[str, object] = {
        "text": question.text,
        "answer": question.answer,
        "aliases": list(question.aliases),
        "options": list(item.options),
    }
    return json.dumps(fields | more, ensure_ascii=False)


def revised_form(made: ReviewedItem) -> QuestionForm | None:
    """Build the new version as a multiple-choice question; None if it has no options."""
    question, options = made.question, made.options
    right = tuple(option for option in options if fold(option) == fold(question.answer))
    maker = question.provenance.maker
    return QuestionForm(question.id, "choice", question.text, options, right, maker) if options else None


def refusals(made: Question, sample: Sample, graph: SampleGraph | None, before: Question | None) -> list[str]:
    """Run the text checks on a new wording and return the refusals in words, empty if it passes.

    ``before`` is the question of the previous hop, None if there is none. A question of the picture itself (raw or
    re-selected) may name what it is about, and only not its own answer.
    """
    candidate = _candidate(made, sample, graph, before)
    words = CHECKS if made.hop else [check for check in CHECKS if check.name != WordedLeak.name]
    decisions = [decision for check in words if not (decision := check.decide(candidate)).keep]
    if not made.hop and made.key and not (leak := PathLeak().decide(made.key, (made.text,))).keep:
        decisions.append(leak)
    return [f"{each.reason}: {each.detail}" if each.detail else each.reason for each in decisions]


def _candidate(made: Question, sample: Sample, graph: SampleGraph | None, before: Question | None) -> Candidate:
    last = made.key[-1] if made.key else Triplet(IMAGE, "depicts", Entity(made.answer or "THING"))
    subject = last.subject.name if before is None else before.answer
    source = last.source or "review"
    fact = Fact(last.subject.concept, subject, last.relation, last.object.concept, made.answer, source)
    earlier = replace(
        made,
        text="" if before is None else before.text,
        answer="" if before is None else before.answer,
        aliases=() if before is None else before.aliases,
        key=made.key[:-1],
        hop=max(0, made.hop - 1),
    )
    own = sample if before is not None else replace(sample, question="")
    return Candidate(own, graph or SampleGraph(sample.id, (last,), (), (last,)), earlier, fact, made.text)
