"""The queue of a review: what waits for whom, and what a decision changes for the questions beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kbe_graph import Workspace
from kbe_graph.files.image import ImageFolders
from kbe_graph.review import review_desk, review_queue
from kbe_graph.review.doubt import FormChain
from kbe_graph.review.review_queue import CHANGED, Listing, Outcome, ReviewQueue, ReviewScope


@pytest.fixture(scope="module")
def queue(demo_kept_up: Path) -> Iterator[ReviewQueue]:
    with Workspace(demo_kept_up, progress=False) as work:
        scope = ReviewScope("run demo-0", "demo-0", reviewers=("ann", "bea"))
        yield ReviewQueue(work.review.desk, scope, ImageFolders(()), lambda *_: FormChain())


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_queue, "PATIENCE", 0)


def _give(queue: ReviewQueue, question: str, verdict: str, version: str = "", reviewer: str = "ann") -> Outcome:
    version = version or queue.item(question).version
    return queue.decide([("id", question), ("version", version), ("verdict", verdict)], reviewer, Listing())


def test_a_rejected_question_takes_those_on_its_chain_along_until_that_is_undone(queue: ReviewQueue) -> None:
    ids = set(queue.cards)
    later = next(card.id for card in queue.cards.values() if card.row == "hop 2" and f"{card.id[:-1]}1" in ids)
    first = f"{later[:-1]}1"
    _give(queue, first, "reject")
    assert queue.card(later).state == "rejected"
    assert not queue.waits_for(later, "bea")
    queue.undo("ann")
    assert queue.card(later).state == "open"
    assert queue.waits_for(later, "bea")


def test_after_a_restart_undo_takes_back_what_was_decided_last_whatever_the_clock_says(
    queue: ReviewQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = list(queue.cards)[:2]
    for id_, time in ((first, "2031-01-01T00:00:00Z"), (second, "2001-01-01T00:00:00Z")):
        monkeypatch.setattr(review_desk, "time_now", lambda time=time: time)
        _give(queue, id_, "approve", reviewer="bea")
    again = ReviewQueue(queue.desk, queue.scope, ImageFolders(()), lambda *_: FormChain())
    assert again.last_of("bea") == second
    again.undo("bea")
    assert again.last_of("bea") == first
    again.undo("bea")
    queue.read()


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
    shown = next(card.id for card in queue.cards.values() if card.state == "open")
    version, text = queue.item(shown).version, f"{queue.card(shown).text[:-1]}, then?"
    with Workspace(demo_kept_up, progress=False) as other:
        other.review.decide(shown, "revise", reviewer="carla", revision={"text": text}, insist=True)
    with queue.work():
        outcome = _give(queue, shown, "approve", version)
    assert (outcome.shown, outcome.line) == (queue.newest(shown), CHANGED)
    assert queue.own(shown, "ann") is None
