"""The queue of a review: what waits for whom, and what a decision changes for the questions beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kbe_graph import Workspace
from kbe_graph.review.release_set import read_release
from kbe_graph.review_pages.decision import CHANGED, decide, undo
from kbe_graph.review_pages.listing import Listing
from kbe_graph.review_pages.review_queue import ReviewQueue
from kbe_graph.review_pages.review_scope import ReviewScope


@pytest.fixture(scope="module")
def queue(demo_kept_up: Path) -> Iterator[ReviewQueue]:
    with Workspace(demo_kept_up, progress=False) as work:
        yield ReviewQueue(work, ReviewScope("demo-0", reviewers=("ann", "bea")))


def _give(queue: ReviewQueue, question: str, verdict: str) -> None:
    version = queue.item(question).version
    decide(queue, "ann", [("id", question), ("version", version), ("verdict", verdict)], Listing())


def test_a_rejected_question_takes_those_on_its_chain_along_until_that_is_undone(queue: ReviewQueue) -> None:
    ids = {card.id for card in queue.cards}
    later = next(card.id for card in queue.cards if card.row == "hop 2" and f"{card.id[:-1]}1" in ids)
    first = f"{later[:-1]}1"
    _give(queue, first, "reject")
    assert queue.card(later).state == "rejected"
    assert not queue.waits_for(later, "bea")
    undo(queue, "ann")
    assert queue.card(later).state == "open"
    assert queue.waits_for(later, "bea")


def test_a_question_that_somebody_has_open_is_not_given_to_another(queue: ReviewQueue) -> None:
    first = queue.next_of(Listing(), "ann")
    assert first is not None
    queue.claim(first, "ann")
    assert queue.next_of(Listing(), "bea") != first
    assert queue.next_of(Listing(), "ann") == first


def test_what_others_decide_meanwhile_is_seen_before_a_question_is_given_out(
    queue: ReviewQueue, demo_kept_up: Path
) -> None:
    first = queue.next_of(Listing(), "bea")
    assert first is not None
    with Workspace(demo_kept_up, progress=False) as other:
        other.review.decide(first, "approve", reviewer="carla")
        second = queue.next_of(Listing(), "bea", after=first)
        assert second is not None
        text = f"{other.review.desk.item(second).question.text[:-1]}, then?"
        other.review.decide(second, "revise", reviewer="carla", revision={"text": text}, insist=True)
    assert queue.waits_for(first, "bea")
    with queue.work():
        assert queue.card(first).state == "approved"
        assert not queue.waits_for(first, "bea")
        newest = queue.newest(second)
        assert newest != second
        assert newest is not None
        assert queue.card(newest).text == text


def test_a_decision_on_words_that_another_replaced_is_not_kept(queue: ReviewQueue, demo_kept_up: Path) -> None:
    shown = next(card.id for card in queue.cards if card.state == "open")
    version, text = queue.item(shown).version, f"{queue.card(shown).text[:-1]}, then?"
    with Workspace(demo_kept_up, progress=False) as other:
        other.review.decide(shown, "revise", reviewer="carla", revision={"text": text}, insist=True)
    with queue.work():
        outcome = decide(queue, "ann", [("id", shown), ("version", version), ("verdict", "approve")], Listing())
    assert (outcome.shown, outcome.line) == (queue.newest(shown), CHANGED)
    assert queue.own(shown, "ann") is None


def test_a_decision_that_is_in_the_log_alone_is_waited_for(queue: ReviewQueue) -> None:
    shown = next(card.id for card in queue.cards if card.state == "open")
    review = queue.desk.make(shown, "approve", reviewer="dora")
    queue.desk.log.append([review])
    with queue.work():
        assert queue.card(shown).state == "open"
    queue.desk.store.save_reviews([review])
    with queue.work():
        assert queue.card(shown).state == "approved"


def test_the_questions_of_a_release_are_on_the_queue(queue: ReviewQueue, demo_kept_up: Path, tmp_path: Path) -> None:
    with Workspace(demo_kept_up, progress=False) as work:
        work.export(tmp_path / "V.jsonl", run="demo-0", reviewed="all")
        released = ReviewQueue(work, ReviewScope(release=read_release(tmp_path / "V.jsonl")))
        assert {card.id for card in released.cards} > {card.id for card in queue.cards}
        assert {card.row for card in released.cards} >= {"raw", "hop 1"}
        assert released.scope.title == "release V.jsonl"
        raw = next(card.id for card in released.cards if card.row == "raw")
        _give(released, raw, "approve")
        assert released.card(raw).state == "approved"
