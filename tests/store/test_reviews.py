"""Decisions of reviewers, in the graph, on every engine."""

from dataclasses import replace

import pytest
from specimens import COLOUR, SAMPLE, dump, family

from kbe_graph.errors import InputError
from kbe_graph.store import Store
from kbe_graph.store.reviews import ReviewSave
from kbe_graph.types import RAW, Review, question_id

EVOLVED, OWN = question_id(SAMPLE.id, "first", 1), question_id(SAMPLE.id, RAW, 0)
APPROVED = Review(f"{EVOLVED}|Ana|0", EVOLVED, "a1", "Ana", "2026-11-27T10:00:00Z", 12.5, "approve")
UNDONE = replace(APPROVED, id=f"{EVOLVED}|Ana|1", time="2026-11-27T10:01:00Z", verdict="undo")
REJECTED = Review(
    f"{EVOLVED}|Bo: ‘the|second’|0",
    EVOLVED,
    "a1",
    "Bo: ‘the|second’",
    "2026-11-27T10:00:30Z",
    3,
    "reject",
    (("factual", "no"), ("one", "unsure")),
    "the family: a wrong one",
    (("a zebra: of the plain", "also right"), ("a horse", "implausible")),
    "Bovidae",
    ("t1", "t2"),
    '{"text": "What?"}',
)
OF_RAW = Review(f"{OWN}|Ana|2", OWN, "b2", "Ana", "2026-11-27T09:00:00Z", 1.0, "revise", after='{"text": "Which?"}')


@pytest.fixture
def full(full: Store) -> Store:
    full.save_reviews(ReviewSave([APPROVED, UNDONE, OF_RAW, REJECTED]))
    return full


def test_decisions_come_back_as_they_were_by_question_and_time(full: Store) -> None:
    assert full.reviews() == [APPROVED, REJECTED, UNDONE, OF_RAW]
    assert full.reviews([OWN, "nothing"]) == [OF_RAW]
    assert full.reviews(run="first") == [APPROVED, REJECTED, UNDONE]
    assert full.reviews(run="first", reviewer="Ana") == [APPROVED, UNDONE]
    assert full.reviews([EVOLVED], reviewer=REJECTED.reviewer) == [REJECTED]


def test_what_is_written_besides_fails_with_the_decision(full: Store) -> None:
    once = dump(full)

    def fail() -> None:
        raise InputError("the disk is full")

    made = replace(family().question, id=f"{EVOLVED}.7", parent=EVOLVED, status="revised")
    with pytest.raises(InputError, match="the disk is full"):
        full.save_reviews(ReviewSave([APPROVED], [made], besides=fail))
    assert dump(full) == once


def test_decisions_go_with_their_question(full: Store) -> None:
    full.forget_run("first")
    assert full.reviews() == [OF_RAW]
    full.forget_samples([SAMPLE.id, COLOUR.id])
    assert full.reviews() == []
    assert full.query_text("MATCH (r:Review) RETURN count(r)").rows == ((0,),)
