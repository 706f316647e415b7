"""The gallery of questions to review: most doubtful first, with filters, in pages."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from kbe_graph.review_pages.listing import Listing, ReviewCard, filter_counts
from kbe_graph.review_pages.review_queue import ReviewQueue
from kbe_graph.web.pages import Given, number_of

PART = 60
FIRST_SCREEN = 8  # pictures visible without scrolling


class GalleryPart(NamedTuple):
    """A page of the list: the offset of its first question, and those of the neighbouring pages, None at the ends."""

    start: int
    total: int
    before: int | None
    after: int | None


class GalleryCard(NamedTuple):
    """A question as the gallery shows it; the answer is empty if the reviewer must answer first."""

    item: ReviewCard
    answer: str
    signs: tuple[str, ...]
    state: str
    has_picture: bool


def gallery_values(queue: ReviewQueue, reviewer: str, listing: Listing, given: Given) -> dict[str, Any]:
    """Collect the values of the gallery's page."""
    every, cards = queue.cards, queue.listed(listing)
    start = number_of(given, "from", 0, most=max(len(cards) - 1, 0))
    shown = cards[start : start + PART]
    after = start + PART
    return {
        "page": "gallery",
        "part": GalleryPart(
            start, len(cards), max(start - PART, 0) if start else None, after if after < len(cards) else None
        ),
        "first_screen": FIRST_SCREEN,
        "cards": _cards(queue, reviewer, shown),
        "counts": filter_counts(every, listing),
        "relations": queue.relations,
        "open_count": sum(queue.state(card.id).needs(reviewer) for card in cards),
    }


def _cards(queue: ReviewQueue, reviewer: str, shown: Sequence[ReviewCard]) -> list[GalleryCard]:
    pictures = queue.count_pictures([card.sample for card in shown])
    hidden = {card.id for card in shown if queue.hides_key(card.id, reviewer)}
    return [
        GalleryCard(
            card,
            "" if card.id in hidden else card.answer,
            () if card.id in hidden else card.signs,
            card.state,
            bool(pictures.get(card.sample)),
        )
        for card in shown
    ]
