"""Consequences of decisions: which questions are left out, with the chains through them, and which wording counts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from kbe_graph.review.state import (
    QuestionState,
    ReviewedItem,
    State,
    current_items,
    first_version,
    question_states,
    read_items,
)
from kbe_graph.store import Store
from kbe_graph.types import RAW, Question

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
