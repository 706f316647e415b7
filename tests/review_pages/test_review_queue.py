"""The queue of a review: what waits for whom, and what a decision changes for the questions beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kbe_graph import Workspace
from kbe_graph.review_pages.decision import decide, undo
from kbe_graph.review_pages.listing import Listing
from kbe_graph.review_pages.review_queue import ReviewQueue, ReviewScope


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
