"""Facts that a reviewer marks as wrong, and the rejection of all questions based on them."""

from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.facts.review import FactVerdict, Key, add_verdict
from kbe_graph.review.review_desk import Opinions, ReviewDesk
from kbe_graph.review.state import standing
from kbe_graph.types import Question, Review, Triplet, sample_of_question


class Refuted(NamedTuple):
    """The outcome of marking a fact as wrong: the fact's key, if known, and the rejected questions."""

    fact: Key | None
    questions: tuple[str, ...]


def fact_of(triplet: Triplet) -> Key | None:
    """Get the fact key of a triplet, from its concepts; None if they are not known."""
    if triplet.graph == "visual" or not (triplet.subject.concept and triplet.object.concept):
        return None
    return triplet.subject.concept, triplet.relation, triplet.object.concept


def resting_on(desk: ReviewDesk, question: str, triplet: str) -> list[str]:
    """Find the ids of all questions, of any sample and run, whose key contains a fact; in this sample, the triplet.

    ``triplet`` is the id of a triplet in the question's key. Raises InputError for any other.
    """
    step, sample = _step(desk, question, triplet), sample_of_question(question)
    asked = [*desk.store.questions(), *desk.store.questions(status="revised")]
    return sorted(each.id for each in asked if _steps_on(each, step, sample))


def _step(desk: ReviewDesk, question: str, triplet: str) -> Triplet:
    key = desk.item(question).question.key
    step = next((each for each in key if each.id == triplet), None)
    if step is None:
        raise InputError(
            f"{question!r} does not rest on triplet {triplet!r}; its key has {', '.join(each.id for each in key)}"
        )
    return step


def _steps_on(question: Question, step: Triplet, sample: str) -> tuple[str, ...]:
    fact = fact_of(step)
    return tuple(
        each.id
        for each in question.key
        if (fact is not None and fact_of(each) == fact) or (question.sample == sample and each.id == step.id)
    )


def refute(desk: ReviewDesk, question: str, triplet: str, *, reviewer: str, verdicts: Path) -> Refuted:
    """Mark a fact as wrong: add its verdict to the file ``verdicts``, and reject all questions based on it.

    Call ``resting_on`` first to learn which questions are affected. Raises InputError.
    """
    with desk.lock:
        step = _step(desk, question, triplet)
        fact, reason = fact_of(step), f"wrong fact: {step.subject.label} {step.relation} {step.object.label}"
        resting, sample = resting_on(desk, question, triplet), sample_of_question(question)
        reviews = [_rejection(desk, each, Opinions(reason=reason), reviewer, step, sample) for each in resting]
        if fact:
            add_verdict(verdicts, fact, FactVerdict("wrong", f"{reviewer} on {question}"))
        desk.write([review for review in reviews if review])
    return Refuted(fact, tuple(review.question for review in reviews if review))


def _rejection(
    desk: ReviewDesk, question: str, opinions: Opinions, reviewer: str, step: Triplet, sample: str
) -> Review | None:
    own = standing(desk.store.reviews([question])).get(reviewer)
    item = desk.item(question)
    if own and own.verdict == "reject" and own.version == item.version:
        return None
    wrong = _steps_on(item.question, step, sample)
    return desk.make(question, "reject", reviewer=reviewer, opinions=opinions._replace(wrong_facts=wrong))
