"""The list that a reviewer browses: its filters, stored in the address, and question counts for filter values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.review.state import STATES
from kbe_graph.text import fold
from kbe_graph.web.pages import Given

MOST_RELATIONS = 200  # suggestions while typing
QUIET = "no doubt"  # the filter for questions without any sign of doubt


class ReviewCard(NamedTuple):
    """A question in brief, with its state and its signs of doubt."""

    id: str
    sample: str
    row: str
    text: str
    answer: str
    relation: str
    signs: tuple[str, ...] = ()
    state: str = "open"


class Listing(NamedTuple):
    """The filters of a list; an empty one admits all questions."""

    state: str = ""
    hop: str = ""
    sign: str = ""
    relation: str = ""

    def takes(self, card: ReviewCard) -> bool:
        """Return True if the filters admit a question."""
        return (
            self.state in {"", card.state}
            and self.hop in {"", card.row}
            and (not self.sign or (self.sign in card.signs if self.sign != QUIET else not card.signs))
            and (not self.relation or fold(self.relation) in fold(card.relation))
        )

    @property
    def values(self) -> Mapping[str, str]:
        """The query parameters for the address of a page on this list."""
        return {name: value for name, value in self._asdict().items() if value}


def read_listing(given: Given, prefix: str = "") -> Listing:
    """Parse the filters in an address or a form."""
    return Listing(*(given.get(f"{prefix}{name}", "")[:200] for name in Listing._fields))


class _Kind(NamedTuple):
    """The properties of a question that filters use, except its relation."""

    state: str
    hop: str
    signs: tuple[str, ...]


def filter_counts(cards: Sequence[ReviewCard], listing: Listing) -> dict[str, dict[str, int]]:
    """Count the questions for each value of a filter, with the other filters unchanged; "" stands for all."""
    related = Listing(relation=listing.relation)
    kinds = Counter(_Kind(card.state, card.row, card.signs) for card in cards if related.takes(card))
    values: Mapping[str, Sequence[str]] = {
        "state": STATES,
        "hop": sorted({kind.hop for kind in kinds}),
        "sign": _signs(kinds),
    }
    return {name: _counts(kinds, listing, name, own) for name, own in values.items()}


def _counts(kinds: Mapping[_Kind, int], listing: Listing, name: str, values: Sequence[str]) -> dict[str, int]:
    wide = listing._replace(**{name: ""}, relation="")
    counts: Counter[str] = Counter()
    for kind, number in kinds.items():
        if wide.takes(ReviewCard("", "", kind.hop, "", "", "", kind.signs, kind.state)):
            counts.update(dict.fromkeys(("", *_values_of(kind, name)), number))
    chosen = {"", getattr(listing, name)}
    return {value: counts[value] for value in ("", *values) if counts[value] or value in chosen}


def _values_of(kind: _Kind, name: str) -> tuple[str, ...]:
    return {"state": (kind.state,), "hop": (kind.hop,), "sign": kind.signs or (QUIET,)}[name]


def _signs(kinds: Mapping[_Kind, int]) -> list[str]:
    counts: Counter[str] = Counter()
    for kind, number in kinds.items():
        counts.update(dict.fromkeys(kind.signs, number))
    return [*(sign for sign, _ in counts.most_common()), QUIET]


def frequent_relations(cards: Sequence[ReviewCard]) -> list[str]:
    """List the most frequent last relations of the questions."""
    counts = Counter(card.relation for card in cards if card.relation)
    return [name for name, _ in counts.most_common(MOST_RELATIONS)]
