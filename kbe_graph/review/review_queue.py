"""The queues of the review pages: questions by doubt, or a study's items as drawn, and who has which of them open."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from threading import RLock
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.image import ImageFolders
from kbe_graph.review.consequences import through
from kbe_graph.review.doubt import doubts
from kbe_graph.review.item_form import FormChain, ItemForm, review_form
from kbe_graph.review.review_desk import Opinions, ReviewDesk, check_reviewer, seconds_of
from kbe_graph.review.reviewed_items import current_items, read_items, row_name
from kbe_graph.review.revision import Revision
from kbe_graph.review.state import STATES, QuestionState, ReviewedItem, first_version, question_states
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import CRITERIA, OPTION_FLAGS, RAW, Question, Review, ReviewVerdict, sample_of_question

AWAY = 900.0  # seconds after which an opened question is offered to others
PATIENCE = 5.0  # seconds between two looks at what others decided
LONGEST = 1800.0  # seconds counted for one question; the rest is a break
TIMED = 3  # timed decisions that an estimate needs
CHANGED = "This question changed in the meantime, so nothing was saved. Review it again."
SAID = {"approve": "approved", "reject": "rejected", "revise": "revised"}
Pairs = Sequence[tuple[str, str]]
ReadChain = Callable[[Store, Question], FormChain]


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
    """The progress of a review: all items, finished ones, one's own decisions, and the time left in words."""

    total: int
    done: int
    own: int
    time_left: str


class Outcome(NamedTuple):
    """The response to a decision: the item to show (None if none is waiting) and a message.

    With a ``warning`` the decision was not saved; it is asked for again.
    """

    shown: str | None
    line: str = ""
    warning: str = ""


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
        self._looked, self._known = time.monotonic(), desk.store.count_reviews()
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

    @contextmanager
    def work(self) -> Iterator[None]:
        """Lock the queue for one page, after looking for decisions of other processes."""
        with self._lock:
            if time.monotonic() - self._looked > PATIENCE:
                before, self._known = self._known, self.desk.store.count_reviews()
                if before != self._known or self.is_outdated():
                    self.read()
                self._looked = time.monotonic()
            yield

    def is_outdated(self) -> bool:
        """Return True if there are other items than those read."""
        return False

    def decide(self, pairs: Pairs, reviewer: str, listing: Listing) -> Outcome:
        """Store the decision in a form, and choose the next item; raises InputError for an invalid decision."""
        id_ = dict(pairs).get("id", "")
        following = self.next_of(listing, reviewer, after=id_)
        outcome, written = self.give(pairs, reviewer)
        if not written:
            return outcome
        self._known += len(written)
        self._decided[reviewer].append(id_)
        if following is None or following not in self.cards or not self.waits_for(following, reviewer):
            following = self.next_of(listing, reviewer, after=id_)
        return outcome._replace(shown=following)

    def undo(self, reviewer: str) -> Outcome:
        """Undo a reviewer's last decision, and show its item; raises InputError if there is none."""
        id_ = self.last_of(reviewer)
        if id_ is None:
            raise InputError("you have no decision to undo")
        self._known += len(self.take_back(id_, reviewer))
        if self._decided[reviewer]:
            self._decided[reviewer].pop()
        return Outcome(self.newest(id_), "Decision undone.")

    def own(self, id_: str, reviewer: str) -> Review | None:
        """Return a reviewer's decision in force on an item."""
        return next((review for review in self.states[id_].counted if review.reviewer == reviewer), None)

    def last_of(self, reviewer: str) -> str | None:
        """Return the item that a reviewer decided last and that is not undone: here, or before this server began."""
        if self._decided[reviewer]:
            return self._decided[reviewer][-1]
        own = (
            (each.time, id_)
            for id_, state in self.states.items()
            for each in state.counted
            if each.reviewer == reviewer
        )
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
        own = sum(reviewer in state.reviewers for state in states if state.counted)
        seconds = [min(each.seconds, LONGEST) for state in states for each in state.counted if each.seconds]
        missing = sum(state.missing for state in states)
        rest = missing * median(seconds) / len(self.scope.reviewers) if missing and len(seconds) >= TIMED else 0
        return ReviewProgress(len(states), sum(not state.missing for state in states), own, _in_words(rest / 60))

    def pictures(self, samples: Iterable[str]) -> dict[str, tuple[Path, ...]]:
        """Find the picture files of samples, if they are on this queue."""
        with self._lock:
            own = {card.sample for card in self.cards.values()}
            read = self.desk.store.samples(ids=sorted(own.intersection(samples)))
        return {sample.id: self._images.find_all(sample.images, sample.image_id) for sample in read}


def _in_words(minutes: float) -> str:
    if not minutes:
        return ""
    if minutes < 1:
        return "under a minute"
    return f"about {minutes:.0f} min" if minutes < 90 else f"about {minutes / 60:.0f} h"


class ReviewQueue(ItemQueue):
    """The questions of a run or raw ones, the most doubtful first, reread by sample as they are decided."""

    def __init__(self, desk: ReviewDesk, scope: ReviewScope, images: ImageFolders, chain: ReadChain) -> None:
        self._chain = chain
        super().__init__(desk, scope, images)

    def read(self) -> None:
        """Read all questions with their states, and rank them by doubt."""
        store, scope, run = self.desk.store, self.scope, None if self.scope.run == RAW else self.scope.run
        self.cards, self.states, self._total = {}, {}, self._count()
        self._items: dict[str, ReviewedItem] = {}
        self._samples: dict[str, list[str]] = defaultdict(list)
        items = read_items(store, run=run, benchmark=scope.benchmark or None)
        self._take(items, store.reviews(run=scope.run))
        ranked = doubts(store, items, self.states, run)
        self._signs = {doubt.question: doubt.signs for doubt in ranked}
        self._rank = {doubt.question: place for place, doubt in enumerate(ranked)}
        self._arrange(self._samples.keys())

    def _count(self) -> int:
        store, run = self.desk.store, self.scope.run
        return store.count_samples() if run == RAW else store.status_counts(run).get("kept", 0)

    def is_outdated(self) -> bool:
        """Return True if the run has other questions than those read."""
        return self._count() != self._total

    def _renew(self, questions: Iterable[str]) -> None:
        samples = sorted({sample_of_question(id_) for id_ in questions} & self._samples.keys())
        if not samples:
            return
        run = None if self.scope.run == RAW else self.scope.run
        items = read_items(self.desk.store, run=run, samples=samples)
        for id_ in [id_ for sample in samples for id_ in self._samples.pop(sample)]:
            del self._items[id_], self.states[id_]
        self._take(items, self.desk.store.reviews([item.question.id for item in items]))
        self._arrange(samples)

    def _take(self, items: Sequence[ReviewedItem], reviews: Iterable[Review]) -> None:
        self._items |= {item.question.id: item for item in items}
        self.states |= question_states(items, reviews, self.scope.overlap, self.scope.seed)
        for item in items:
            self._samples[item.question.sample].append(item.question.id)

    def _arrange(self, samples: Collection[str]) -> None:
        items = [self._items[id_] for sample in samples for id_ in self._samples[sample]]
        rejected = [item.question for item in items if self.states[item.question.id].state == "rejected"]
        for id_ in through([item.question for item in items], rejected) if rejected else ():
            state = self.states.get(id_)
            if state and not state.counted:
                self.states[id_] = state._replace(state="rejected", missing=0)
        before = {id_ for id_, card in self.cards.items() if card.sample in samples}
        cards = {item.question.id: self._card(item) for item in current_items(items, self.states)}
        self.cards |= cards
        if before != cards.keys():
            own, last = self.cards, len(self._rank)
            ordered = sorted(own, key=lambda id_: (self._rank.get(first_version(id_), last), id_))
            self.cards = {id_: own[id_] for id_ in ordered if id_ not in before or id_ in cards}

    def _card(self, item: ReviewedItem) -> QueueCard:
        question, state = item.question, self.states[item.question.id].state
        return QueueCard(
            question.id,
            question.sample,
            row_name(question),
            question.text,
            question.answer,
            question.key[-1].relation if question.key else "",
            self._signs.get(first_version(question.id), ()),
            "revised" if question.status == "revised" and state == "approved" else state,
        )

    def newest(self, id_: str) -> str | None:
        """Return the id of a question's current version, None if the question is gone."""
        own = self._samples.get(sample_of_question(id_), ())
        return next((each for each in own if each in self.cards and first_version(each) == first_version(id_)), None)

    def item(self, id_: str) -> ReviewedItem:
        """Return a question with its options and version; raises InputError."""
        return self._items[self.card(id_).id]

    def form(self, id_: str, reviewer: str) -> ItemForm:
        """Build the form of a question, with the chain that leads to it."""
        item = self.item(id_)
        return review_form(
            item, self._chain(self.desk.store, item.question), self.own(id_, reviewer), self.card(id_).signs
        )

    def give(self, pairs: Pairs, reviewer: str) -> tuple[Outcome, Sequence[Review]]:
        """Store the decision in a form, unless the question changed, or the reviewer has to confirm it first."""
        given = dict(pairs)
        id_, version = given.get("id", ""), given.get("version", "")
        if (last := self.newest(id_)) not in {None, id_}:
            return Outcome(last, CHANGED), ()
        item, (verdict, opinions, revision) = self.item(id_), read_verdict(pairs)
        try:
            insists = given.get("insist") == "yes"
            if not insists and (warning := self._warning(id_, verdict, opinions, revision)):
                return Outcome(id_, warning=warning), ()
            written = self.desk.decide(
                id_,
                verdict,
                reviewer=reviewer,
                opinions=opinions,
                revision=revision,
                version=version,
                insist=insists,
            )
        except InputError:
            self._renew([id_])
            newest = self.newest(id_)
            if newest is None or self.item(newest).version == version:
                raise
            return Outcome(newest, CHANGED), ()
        self._renew(review.question for review in written)
        return Outcome(None, f"{SAID[verdict]}: {item.question.text}"), written

    def _warning(self, id_: str, verdict: ReviewVerdict, opinions: Opinions, revision: Revision | None) -> str:
        if revision is not None:
            refusals = "; ".join(self.desk.check(id_, revision))
            return f"A check refuses the new wording: {refusals}." if refusals else ""
        if verdict != "reject" or not opinions.wrong_facts:
            return ""
        others = {each for triplet in opinions.wrong_facts for each in self.desk.resting_on(id_, triplet)} - {id_}
        rest = "1 other question that rests" if len(others) == 1 else f"{len(others)} other questions that rest"
        more = f" This also rejects {rest} on it." if others else ""
        return f"Later runs will treat the fact as wrong.{more}"

    def take_back(self, id_: str, reviewer: str) -> Sequence[Review]:
        """Undo a reviewer's decision on a question."""
        written = self.desk.decide(id_, "undo", reviewer=reviewer)
        self._renew([id_])
        return written


def read_verdict(pairs: Pairs) -> tuple[ReviewVerdict, Opinions, Revision | None]:
    """Parse the decision in the fields of a form: the desk checks what it says."""
    given = dict(pairs)

    def values(field: str) -> tuple[str, ...]:
        return tuple(value for name, value in pairs if name == field)

    verdict: ReviewVerdict = given.get("verdict", "")  # type: ignore[assignment]
    if verdict not in SAID:
        raise InputError(f"the verdict is {verdict[:60]!r}; give approve, reject or revise")
    opinions = Opinions(
        tuple((name, given[name]) for name in CRITERIA if given.get(name)),
        given.get("reason", "").strip(),
        tuple((option, flag) for flag in OPTION_FLAGS for option in values(flag)),
        values("wrong"),
        seconds_of(given.get("seconds", "")),
    )
    if verdict != "revise":
        return verdict, opinions, None
    answer, right = given.get("answer"), given.get("right", "")
    aliases = tuple(given["aliases"].splitlines()) if "aliases" in given else None
    options = tuple(answer if answer and fold(each) == fold(right) else each for each in values("option"))
    return verdict, opinions, Revision(given.get("text"), answer, aliases, options or None)
