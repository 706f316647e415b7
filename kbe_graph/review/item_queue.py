"""The queue of the review pages: items in an order, what is decided on them, and who has which of them open."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.image import ImageFolders
from kbe_graph.review.item_form import ItemForm
from kbe_graph.review.review_desk import ReviewDesk, check_reviewer
from kbe_graph.review.state import STATES, QuestionState
from kbe_graph.types import RAW, Review

AWAY = 900.0  # seconds after which an opened question is offered to others
PATIENCE = 5.0  # seconds between two looks at what others decided
Pairs = Sequence[tuple[str, str]]


class QueueCard(NamedTuple):
    """An item in brief, with its state and its signs of doubt."""

    id: str
    sample: str
    row: str
    text: str
    answer: str
    relation: str = ""
    signs: tuple[str, ...] = ()
    state: str = "open"


class Listing(NamedTuple):
    """The filters of a list; an empty one admits all items."""

    state: str = ""
    hop: str = ""
    sign: str = ""

    def takes(self, card: QueueCard) -> bool:
        """Return True if the filters admit an item."""
        return (
            self.state in {"", card.state} and self.hop in {"", card.row} and (not self.sign or self.sign in card.signs)
        )


class ReviewScope(NamedTuple):
    """What is reviewed, in words; a run's questions or ``raw`` ones, perhaps of one benchmark; and by whom.

    ``overlap`` is the share of questions that two of the reviewers review, drawn with the seed.
    """

    title: str
    run: str = RAW
    benchmark: str = ""
    reviewers: tuple[str, ...] = ("reviewer",)
    overlap: float = 0.0
    seed: int = 0


class ReviewProgress(NamedTuple):
    """The progress of a review: all items, finished ones, and one's own decisions."""

    total: int
    done: int
    own: int


class Outcome(NamedTuple):
    """The response to a decision: the item to show (None if none is waiting) and a message."""

    shown: str | None
    line: str = ""


class ItemQueue:
    """Items in a fixed order, with the decisions on them here and in other processes. One page at a time uses it.

    Raises InputError for names of reviewers that are alike or invalid.
    """

    def __init__(self, desk: ReviewDesk, scope: ReviewScope, images: ImageFolders) -> None:
        names = [check_reviewer(name) for name in scope.reviewers]
        if len({*names}) < len(names):
            raise InputError(f"a name occurs twice in {', '.join(names)}; give each reviewer a different one")
        self.desk, self.scope, self._images = desk, scope, images
        self._lock = RLock()
        self._claims: dict[str, tuple[str, float]] = {}
        self._decided: dict[str, list[str]] = defaultdict(list)
        self.cards: dict[str, QueueCard] = {}
        self.states: dict[str, QuestionState] = {}
        self._looked, self._known = time.monotonic(), self._size()
        self.read()
        if not self.cards:
            raise InputError(f"there is nothing to review in {scope.title}; name another run or benchmark")

    def read(self) -> None:
        """Read all items with their states and cards."""
        raise NotImplementedError

    def form(self, id_: str, reviewer: str) -> ItemForm:
        """Build the form of an item."""
        raise NotImplementedError

    def give(self, pairs: Pairs, reviewer: str) -> tuple[Outcome, Sequence[Review]]:
        """Store the decision in the fields of a form. Raises InputError for an invalid one."""
        raise NotImplementedError

    def take_back(self, id_: str, reviewer: str) -> Sequence[Review]:
        """Undo a reviewer's decision on an item."""
        raise NotImplementedError

    def newest(self, id_: str) -> str | None:
        """Return the id of an item's current version, None if it is gone."""
        return id_ if id_ in self.cards else None

    def _size(self) -> tuple[int, int]:
        return self.desk.store.count_reviews(), 0

    @contextmanager
    def work(self) -> Iterator[None]:
        """Lock the queue for one page, after looking for decisions and questions of other processes."""
        with self._lock:
            if time.monotonic() - self._looked > PATIENCE:
                before, self._known = self._known, self._size()
                if before != self._known:
                    self.read()
                self._looked = time.monotonic()
            yield

    def _count(self, written: Sequence[Review]) -> None:
        reviews, questions = self._known
        self._known = reviews + len(written), questions

    def decide(self, pairs: Pairs, reviewer: str, listing: Listing) -> Outcome:
        """Store the decision in a form, and choose the next item; or undo the last decision, and choose its item.

        Raises InputError for an invalid decision, and NotInsistedError.
        """
        given = dict(pairs)
        if given.get("verdict") == "undo":
            return self.undo(reviewer)
        id_ = given.get("id", "")
        following = self.next_of(listing, reviewer, after=id_)
        outcome, written = self.give(pairs, reviewer)
        if not written:
            return outcome
        self._count(written)
        self._decided[reviewer].append(id_)
        if following is None or following not in self.cards or not self.waits_for(following, reviewer):
            following = self.next_of(listing, reviewer, after=id_)
        return outcome._replace(shown=following)

    def undo(self, reviewer: str) -> Outcome:
        """Undo a reviewer's last decision, and show its item; raises InputError if there is none."""
        id_ = self.last_of(reviewer)
        if id_ is None:
            raise InputError("you have no decision to undo")
        del self._decided[reviewer][-1:]
        self._count(self.take_back(id_, reviewer))
        return Outcome(self.newest(id_), "GivenVerdict undone.")

    def own(self, id_: str, reviewer: str) -> Review | None:
        """Return a reviewer's decision in force on an item."""
        return next((review for review in self.states[id_].counted if review.reviewer == reviewer), None)

    def last_of(self, reviewer: str) -> str | None:
        """Return the item that a reviewer decided last and that is not undone: here, or before this server began."""
        if self._decided[reviewer]:
            return self._decided[reviewer][-1]
        own = [
            (review.time, id_)
            for id_, state in self.states.items()
            for review in state.counted
            if review.reviewer == reviewer
        ]
        return max(own, default=("", None))[1]

    def card(self, id_: str) -> QueueCard:
        """Return an item in brief; raises InputError if it is not in the queue."""
        if id_ not in self.cards:
            raise InputError(f"no question {id_!r} is open for review here; open the gallery")
        return self.cards[id_]

    def listed(self, listing: Listing) -> list[QueueCard]:
        """Return the items that ``listing`` admits, in order."""
        return [card for card in self.cards.values() if listing.takes(card)]

    def counts(self) -> dict[str, dict[str, int]]:
        """Count the items for each value of a filter, "" standing for all."""
        cards, all_ = self.cards.values(), {"": len(self.cards)}
        states, hops = Counter(card.state for card in cards), Counter(card.row for card in cards)
        signs = Counter(sign for card in cards for sign in card.signs)
        return {
            "state": all_ | {state: states[state] for state in STATES if states[state]},
            "hop": all_ | dict(sorted(hops.items())),
            "sign": all_ | dict(signs.most_common()),
        }

    def waits_for(self, id_: str, reviewer: str) -> bool:
        """Return True if an item needs this reviewer, in addition to others who have it open."""
        state = self.states[id_]
        others = sum(
            name != reviewer and id_ == claimed and name not in state.reviewers and time.monotonic() - since < AWAY
            for name, (claimed, since) in self._claims.items()
        )
        return state.needs(reviewer) and state.missing > others

    def next_of(self, listing: Listing, reviewer: str, *, after: str = "") -> str | None:
        """Return the next item of a list for a reviewer, cyclically from ``after``; disputed ones come last.

        Returns None if there is none.
        """
        ids = [card.id for card in self.listed(listing)]
        place = ids.index(after) + 1 if after in ids else 0
        disputed = None
        for id_ in (*ids[place:], *ids[:place]):
            if self.waits_for(id_, reviewer):
                if self.states[id_].state != "disputed":
                    return id_
                disputed = disputed or id_
        return disputed

    def claim(self, id_: str, reviewer: str) -> None:
        """Reserve an item that a reviewer opened, so that others are not given it."""
        self._claims[reviewer] = id_, time.monotonic()

    def progress(self, reviewer: str) -> ReviewProgress:
        """Return the joint progress of the reviewers, with the decisions of one of them."""
        states = [self.states[id_] for id_ in self.cards]
        own = sum(review.reviewer == reviewer for state in states for review in state.counted)
        return ReviewProgress(len(states), sum(not state.missing for state in states), own)

    def pictures(self, samples: Iterable[str]) -> dict[str, tuple[Path, ...]]:
        """Find the picture files of samples."""
        with self._lock:
            read = self.desk.store.samples(ids=sorted({*samples}))
        return {sample.id: self._images.find_all(sample.images, sample.image_id) for sample in read}
