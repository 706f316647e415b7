"""The list of questions that a reviewer looks at: filters, as an address holds them, and how many each would show."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.review.state import STATES
from kbe_graph.text import fold
from kbe_graph.web.page_request import Given

MOST_RELATIONS = 200  # that are proposed as one types
QUIET = "no doubt"  # the filter for questions without any sign of doubt


class ReviewCard(NamedTuple):
    """A question in brief, with its state and the signs that make it doubtful."""

    id: str
    sample: str
    row: str
    text: str
    answer: str
    relation: str
    signs: tuple[str, ...] = ()
    state: str = "open"


class Listing(NamedTuple):
    """What a list is narrowed to; empty text does not narrow it."""

    state: str = ""
    hop: str = ""
    said: str = ""
    relation: str = ""

    def takes(self, card: ReviewCard) -> bool:
        """Return True if a question is on the list."""
        return (
            self.state in {"", card.state}
            and self.hop in {"", card.row}
            and (not self.said or (self.said in card.signs if self.said != QUIET else not card.signs))
            and (not self.relation or fold(self.relation) in fold(card.relation))
        )

    @property
    def values(self) -> Mapping[str, str]:
        """The values of the address of a page on this list."""
        return {name: value for name, value in self._asdict().items() if value}


def read_listing(given: Given, prefix: str = "") -> Listing:
    """Return the list that an address or a form asks for."""
    return Listing(*(given.get(f"{prefix}{name}", "")[:200] for name in Listing._fields))


def filter_counts(cards: Sequence[ReviewCard], listing: Listing) -> dict[str, dict[str, int]]:
    """Count the questions that each value of a filter would show, the other filters as they are; "" stands for all."""
    values = {"state": list(STATES), "hop": sorted({card.row for card in cards}), "said": _signs(cards)}
    return {name: _counts(cards, listing, name, own) for name, own in values.items()}


def _counts(cards: Sequence[ReviewCard], listing: Listing, name: str, values: Sequence[str]) -> dict[str, int]:
    wide = listing._replace(**{name: ""})
    counts = Counter(value for card in cards if wide.takes(card) for value in ("", *_values_of(card, name)))
    chosen = {"", getattr(listing, name)}
    return {value: counts[value] for value in ("", *values) if counts[value] or value in chosen}


def _values_of(card: ReviewCard, name: str) -> tuple[str, ...]:
    return {"state": (card.state,), "hop": (card.row,), "said": card.signs or (QUIET,)}[name]


def _signs(cards: Sequence[ReviewCard]) -> list[str]:
    """Return the signs of doubt, the most frequent first, then the absence of any."""
    return [*dict(Counter(sign for card in cards for sign in card.signs).most_common()), QUIET]


def frequent_relations(cards: Sequence[ReviewCard]) -> list[str]:
    """Return the relations that most questions end in."""
    counts = Counter(card.relation for card in cards if card.relation)
    return [name for name, _ in counts.most_common(MOST_RELATIONS)]
