"""The queues of the review pages: a run's questions by doubt, or a study's items as drawn; and who has which open."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.image import ImageFolders
from kbe_graph.review.consequences import Revision, through
from kbe_graph.review.doubt import CRITERIA_ASKED, FormChain, ItemForm, doubts
from kbe_graph.review.review_desk import NotInsistedError, ReviewDesk, check_reviewer, new_review, seconds_of
from kbe_graph.review.state import (
    STATES,
    QuestionState,
    ReviewedItem,
    current_items,
    first_version,
    question_states,
    read_items,
    row_name,
    state_in_words,
)
from kbe_graph.review.study import Study, StudyItem, make_rating, ratings_of, study_form
from kbe_graph.store import Store
from kbe_graph.store.reviews import ReviewSave
from kbe_graph.text import fold
from kbe_graph.types import CRITERIA, OPINIONS, OPTION_FLAGS, RAW, Question, Review, sample_of_question

AWAY = 900.0  # seconds after which an opened question is offered to others
PATIENCE = 5.0  # seconds between two looks at what others decided
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
        has_sign = not self.sign or self.sign in card.signs
        return has_sign and self.state in {"", card.state} and self.hop in {"", card.row}


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
        self._known = self._known[0] + len(written), self._known[1]

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
        return Outcome(self.newest(id_), "Decision undone.")

    def own(self, id_: str, reviewer: str) -> Review | None:
        """Return a reviewer's decision in force on an item."""
        return next((review for review in self.states[id_].counted if review.reviewer == reviewer), None)

    def last_of(self, reviewer: str) -> str | None:
        """Return the item that a reviewer decided last and that is not undone: here, or before this server began."""
        if self._decided[reviewer]:
            return self._decided[reviewer][-1]
        own = ((review.number, review.time, id_) for id_ in self.states if (review := self.own(id_, reviewer)))
        return max(own, default=(0, "", None))[-1]

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
        own = sum(reviewer in state.reviewers for state in states)
        return ReviewProgress(len(states), sum(not state.missing for state in states), own)

    def pictures(self, samples: Iterable[str]) -> dict[str, tuple[Path, ...]]:
        """Find the picture files of samples."""
        with self._lock:
            read = self.desk.store.samples(ids=sorted({*samples}))
        return {sample.id: self._images.of(sample) for sample in read}


class ReviewQueue(ItemQueue):
    """The questions of a run or raw ones, the most doubtful first, reread by sample as they are decided."""

    def __init__(self, desk: ReviewDesk, scope: ReviewScope, images: ImageFolders, chain: ReadChain) -> None:
        self._chain, self._run = chain, None if scope.run == RAW else scope.run
        self._items: dict[str, ReviewedItem] = {}
        super().__init__(desk, scope, images)

    def read(self, samples: Collection[str] = ()) -> None:
        """Read all questions with their states and rank them by doubt, or read those of some samples again."""
        store, scope = self.desk.store, self.scope
        benchmark = None if samples else scope.benchmark or None
        items = read_items(store, run=self._run, benchmark=benchmark, samples=sorted(samples) or None)
        reviews = store.reviews([item.question.id for item in items] if samples else None, run=scope.run)
        states = question_states(items, reviews, scope.overlap, scope.seed)
        questions = [item.question for item in items]
        rejected = [question for question in questions if states[question.id].state == "rejected"]
        for id_ in through(questions, rejected) & states.keys():
            if not states[id_].counted:
                states[id_] = states[id_]._replace(state="rejected", missing=0)
        if not samples:
            ranked = doubts(store, items, states, self._run)
            self._doubts = {doubt.question: (place, doubt.signs) for place, doubt in enumerate(ranked)}
        others = [id_ for id_ in self._items if samples and sample_of_question(id_) not in samples]
        self._items = {id_: self._items[id_] for id_ in others} | {item.question.id: item for item in items}
        self.states = {id_: self.states[id_] for id_ in others} | states
        cards = {id_: self.cards[id_] for id_ in others if id_ in self.cards}
        cards |= {item.question.id: self._card(item) for item in current_items(items, states)}
        self.cards = {id_: cards[id_] for id_ in sorted(cards, key=lambda id_: (self._doubt(id_)[0], id_))}

    def _doubt(self, id_: str) -> tuple[int, tuple[str, ...]]:
        return self._doubts.get(first_version(id_), (len(self._doubts), ()))

    def _size(self) -> tuple[int, int]:
        store = self.desk.store
        questions = store.status_counts(self._run).get("kept", 0) if self._run else store.count_samples()
        return store.count_reviews(), questions

    def _renew(self, questions: Iterable[str]) -> None:
        own = {card.sample for card in self.cards.values()}
        if samples := own.intersection(map(sample_of_question, questions)):
            self.read(samples)

    def _card(self, item: ReviewedItem) -> QueueCard:
        question, state = item.question, state_in_words(item, self.states)
        relation = question.key[-1].relation if question.key else ""
        about = question.id, question.sample, row_name(question), question.text, question.answer
        return QueueCard(*about, relation, self._doubt(question.id)[1], state)

    def newest(self, id_: str) -> str | None:
        """Return the id of a question's current version, None if the question is gone."""
        if id_ in self.cards:
            return id_
        return next((each for each in self.cards if first_version(each) == first_version(id_)), None)

    def item(self, id_: str) -> ReviewedItem:
        """Return a question with its options and version; raises InputError."""
        return self._items[self.card(id_).id]

    def form(self, id_: str, reviewer: str) -> ItemForm:
        """Build the form of a question, with the chain that leads to it."""
        question, options, version = self.item(id_)
        return ItemForm(
            id_,
            (question,),
            CRITERIA_ASKED,
            OPINIONS,
            decides=True,
            version=version,
            choices=options,
            chain=self._chain(self.desk.store, question),
            own=self.own(id_, reviewer),
            signs=self.card(id_).signs,
        )

    def give(self, pairs: Pairs, reviewer: str) -> tuple[Outcome, Sequence[Review]]:
        """Store the decision in a form, unless the question changed, or the reviewer has to insist on it."""
        given, revision = read_decision(pairs, reviewer)
        id_, insist = given.question, ("insist", "yes") in pairs
        self._renew([id_])
        newest = self.newest(id_) or id_
        if newest != id_ or self.item(id_).version != given.version:
            return Outcome(newest, CHANGED), ()
        text = self.item(id_).question.text
        if given.wrong_facts and given.verdict == "reject" and not insist:
            self._ask_about(given)
        written = self.desk.decide(given, revision, insist=insist)
        self._renew(review.question for review in written)
        return Outcome(None, f"{SAID[given.verdict]}: {text}"), written

    def _ask_about(self, given: Review) -> None:
        id_ = given.question
        others = {each for triplet in given.wrong_facts for each in self.desk.resting_on(id_, triplet)} - {id_}
        rest = "1 other question that rests" if len(others) == 1 else f"{len(others)} other questions that rest"
        more = f" This also rejects {rest} on it." if others else ""
        raise NotInsistedError(f"Later runs will treat the fact as wrong.{more}")

    def take_back(self, id_: str, reviewer: str) -> Sequence[Review]:
        """Undo a reviewer's decision on a question."""
        written = self.desk.decide(new_review(id_, "undo", reviewer))
        self._renew([id_])
        return written


def read_decision(pairs: Pairs, reviewer: str) -> tuple[Review, Revision | None]:
    """Parse the decision in the fields of a form, with the new wording if there is one: the desk checks both."""
    given = dict(pairs)

    def values(field: str) -> tuple[str, ...]:
        return tuple(value for name, value in pairs if name == field)

    verdict, revision = given.get("verdict", ""), None
    if verdict == "revise":
        answer, right = given.get("answer"), given.get("right", "")
        revision = dict[str, Any]({name: given[name] for name in ("text", "answer") if name in given})
        if "aliases" in given:
            revision["aliases"] = given["aliases"].splitlines()
        if options := values("option"):
            revision["options"] = [answer if answer and fold(each) == fold(right) else each for each in options]
    review = new_review(
        given.get("id", ""),
        verdict,
        reviewer,
        version=given.get("version", ""),
        seconds=seconds_of(given.get("seconds", "")),
        criteria=tuple((name, given[name]) for name in CRITERIA if given.get(name)),
        reason=given.get("reason", "").strip(),
        options=tuple((option, flag) for flag in OPTION_FLAGS for option in values(flag)),
        wrong_facts=values("wrong"),
    )
    return review, revision


class StudyQueue(ItemQueue):
    """The items of a study in the order of the draw; each needs each rater."""

    def __init__(self, desk: ReviewDesk, scope: ReviewScope, images: ImageFolders, study: Study) -> None:
        self._study = study
        self._items: dict[str, StudyItem] = {item.id: item for item in study.items}
        super().__init__(desk, scope, images)

    def read(self) -> None:
        """Read the ratings of all items."""
        for id_, own in ratings_of(self._study, self.desk.store.reviews(self._study.rated)).items():
            self._put(id_, tuple(own.values()))

    def _put(self, id_: str, ratings: tuple[Review, ...]) -> None:
        questions = self._items[id_].questions
        missing = len({*self.scope.reviewers} - {review.reviewer for review in ratings})
        self.states[id_] = state = QuestionState(id_, "open" if missing else "rated", ratings, missing)
        text = " / ".join(question.text for question in questions)
        self.cards[id_] = QueueCard(id_, questions[0].sample, "", text, "", state=state.state)

    def form(self, id_: str, reviewer: str) -> ItemForm:
        """Build the form of an item."""
        return study_form(self._study, self._items[id_], self.own(id_, reviewer))

    def give(self, pairs: Pairs, reviewer: str) -> tuple[Outcome, Sequence[Review]]:
        """Store the rating in a form."""
        given = dict(pairs)
        id_ = self.card(given.get("id", "")).id
        note, seconds = given.get("reason", "").strip(), seconds_of(given.get("seconds", ""))
        rating = make_rating(self._study, self._items[id_], reviewer, given, note=note, seconds=seconds)
        written = self.desk.store.save_reviews(ReviewSave([rating]))
        others = (review for review in self.states[id_].counted if review.reviewer != reviewer)
        self._put(id_, (*others, *written))
        return Outcome(None, "saved"), written

    def take_back(self, id_: str, reviewer: str) -> Sequence[Review]:
        """Open an item for another rating, which will replace the last one."""
        self._put(id_, tuple(review for review in self.states[id_].counted if review.reviewer != reviewer))
        return ()
