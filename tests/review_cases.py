"""A review desk over two hops of a sample, and decisions, for tests of reviews."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from specimens import GIRAFFE, SAMPLE, family, load

from kbe_graph.review.review_desk import ReviewDesk, new_review
from kbe_graph.review.state import QuestionState, question_states, read_items
from kbe_graph.store import Evolved, Store
from kbe_graph.types import Entity, Provenance, Question, Review, Triplet, question_id

FIRST, SECOND = (question_id(SAMPLE.id, "first", hop) for hop in (1, 2))
FAMILY = "giraffe|taxonomic family|giraffidae"


def second_hop() -> Evolved:
    """Build a question one hop further from the giraffe's family."""
    one = family().question
    order = Triplet(
        Entity("GIRAFFIDAE", concept="wn30:1"), "order", Entity("ARTIODACTYLA", concept="wn30:9"), "textual", "pack"
    )
    question = replace(
        one,
        id=SECOND,
        hop=2,
        text="What is the order of the family of it?",
        answer="Artiodactyla",
        aliases=(),
        key=(*one.key, order),
        concept="wn30:9",
        parent=one.id,
        provenance=Provenance("rule"),
    )
    return Evolved(question)


def filled_desk(store: Store, folder: Path) -> ReviewDesk:
    """Build a desk over a graph with a run of two hops of one sample."""
    load(store)
    store.save_questions([family(), second_hop()])
    return opened_desk(store, folder)


def opened_desk(store: Store, folder: Path) -> ReviewDesk:
    """Open a desk whose verdicts on facts are in a folder."""
    return ReviewDesk(store, folder / "review.tsv")


def decide(
    desk: ReviewDesk,
    question: str,
    verdict: str,
    reviewer: str = "Ana",
    revision: Any = None,
    *,
    insist: bool = False,
    **more: Any,
) -> Review:
    """Take a decision, and return it."""
    return desk.decide(new_review(question, verdict, reviewer, **more), revision, insist=insist)[0]


def states_of(store: Store) -> dict[str, QuestionState]:
    """Return the states of the run's questions."""
    return question_states(read_items(store, run="first"), store.reviews(run="first"))


def words_of(store: Store) -> dict[str, str]:
    """Return the states of the run's questions, as words."""
    return {id_: state.state for id_, state in states_of(store).items()}


def a_question() -> Question:
    """Build a question with a key."""
    return replace(family().question, key=(Triplet(GIRAFFE, "eats", Entity("LEAF"), "textual"),))


def decision(question: str, reviewer: str, verdict: str, minute: int, version: str, number: int = 0) -> Review:
    """Build a decision at a given minute."""
    time = f"2026-11-27T10:{minute:02}:00Z"
    return Review(f"{question}|{reviewer}|{number}", question, version, reviewer, time, 1.0, verdict)  # type: ignore[arg-type]
