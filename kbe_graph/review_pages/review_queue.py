"""The queue of a review: questions in order of doubt, the reviewers who have them open, and the decisions."""

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from kbe_graph.errors import InputError
from kbe_graph.evaluate.guessers import row_of
from kbe_graph.files.image import ImageFolders
from kbe_graph.review.consequences import through
from kbe_graph.review.doubt import doubts, read_signals
from kbe_graph.review.log import LogFollower
from kbe_graph.review.review_desk import ReviewDesk
from kbe_graph.review.reviewed_items import current_items, read_items
from kbe_graph.review.state import QuestionState, ReviewedItem, first_version, question_states, standing
from kbe_graph.review_pages.listing import Listing, ReviewCard, frequent_relations
from kbe_graph.review_pages.review_scope import ReviewProgress, ReviewScope, review_progress
from kbe_graph.types import RAW, Review, sample_of_question
from kbe_graph.workspace.workspace import Workspace

AWAY = 900.0  # seconds after which an opened question is offered to others
PATIENCE = 30.0  # seconds between recounts of the questions


class ReviewQueue:
    """The questions of a scope, refreshed per sample as they are decided, here or elsewhere in this workspace.

    Only one page at a time uses it. Decisions are also in the log and the graph, so a new queue continues where the
    last one stopped.
    """

    def __init__(self, work: Workspace, scope: ReviewScope) -> None:
        self._work, self.scope, self._lock = work, scope, RLock()
        self._folders = ImageFolders(work.folder.image_folders)
        self.fact_verdicts = work.folder.review
        self._claims: dict[str, tuple[str, float]] = {}
        self._picks: dict[tuple[str, str], str] = {}
        self._counted, self._total = 0.0, 0
        self._read()

    @contextmanager
    def work(self) -> Iterator[Workspace]:
        """Lock the workspace for one page, after reading the decisions of others."""
        with self._lock:
            self._catch_up()
            yield self._work

    def _catch_up(self) -> None:
        if time.monotonic() - self._counted > PATIENCE:
            before = self._total
            self._counted, self._total = time.monotonic(), self._count()
            if self._total != before:
                self._read()
        new = self._follower.new()
        self.renew_all(question for id_, question in new if not self._knows(id_, question))
        self._follower.wait_for([pair for pair in new if not self._knows(*pair)])

    def _knows(self, id_: str, question: str) -> bool:
        other = first_version(question) not in self._items
        return other or any(review.id == id_ for review in self._reviews.get(question, ()))

    def _count(self) -> int:
        store, runs = self._work.store, self.scope.runs
        return sum(store.count_samples() if run == RAW else store.status_counts(run).get("kept", 0) for run in runs)

    @property
    def desk(self) -> ReviewDesk:
        """The desk that records decisions; those that a killed process left in the log are in the graph."""
        return self._work.review.desk

    @property
    def folders(self) -> ImageFolders:
        """The folders that contain the pictures."""
        return self._folders

    def _read(self) -> None:
        store, runs = self.desk.store, self.scope.runs
        self._items: dict[str, ReviewedItem] = {}
        self._states: dict[str, QuestionState] = {}
        self._reviews: dict[str, list[Review]] = {}
        self._cards: dict[str, ReviewCard] = {}
        self._samples: dict[str, list[str]] = defaultdict(list)
        self._follower = LogFollower(self.desk.log)
        self._counted, self._total = time.monotonic(), self._count()
        items = self._read_items()
        if not items:
            raise InputError(f"there is nothing to review in {self.scope.title}; name another run or benchmark")
        self._take(items, [review for run in runs for review in store.reviews(run=run)])
        every = [doubt for run in runs for doubt in doubts(read_signals(store, run, self._states))]
        doubtful = sorted(every, key=lambda doubt: -doubt.score)
        self._signs = {doubt.question: doubt.signs for doubt in doubtful}
        self._rank = {doubt.question: place for place, doubt in enumerate(doubtful)}
        self._arrange(self._samples.keys())
        self.relations = frequent_relations(self.cards)

    def _read_items(self, samples: Sequence[str] | None = None) -> list[ReviewedItem]:
        run, release = self.scope.run, self.scope.release
        if release:
            return release.items(self._work.store, samples, tell=samples is None)
        return read_items(
            self._work.store, run=None if run == RAW else run, benchmark=self.scope.benchmark or None, samples=samples
        )

    def renew_all(self, questions: Iterable[str]) -> None:
        """Reread the samples of these questions, if in the scope, and the decisions on them."""
        samples = sorted({sample_of_question(id_) for id_ in questions} & self._samples.keys())
        if not samples:
            return
        items = self._read_items(samples)
        for id_ in [id_ for sample in samples for id_ in self._samples.pop(sample)]:
            for kept in (self._items, self._states, self._reviews):
                kept.pop(id_, None)
        self._take(items, self._work.store.reviews([item.question.id for item in items]))
        self._arrange(samples)

    def _take(self, items: Sequence[ReviewedItem], reviews: Iterable[Review]) -> None:
        ids = {item.question.id for item in items}
        grouped: dict[str, list[Review]] = defaultdict(list)
        for review in reviews:
            if review.question in ids:
                grouped[review.question].append(review)
        own = [review for group in grouped.values() for review in group]
        self._reviews |= grouped
        self._items |= {item.question.id: item for item in items}
        self._states |= question_states(items, own, self.scope.overlap)
        for item in items:
            self._samples[item.question.sample].append(item.question.id)

    def _arrange(self, samples: Collection[str]) -> None:
        before = {id_ for id_, card in self._cards.items() if card.sample in samples} if self._cards else set()
        items = [self._items[id_] for sample in samples for id_ in self._samples[sample]]
        self._reject_chains(items)
        cards = {card.id: card for card in map(self._card, current_items(items, self._states))}
        self._cards |= cards
        if before == cards.keys():
            return
        for id_ in before - cards.keys():
            del self._cards[id_]
        last = len(self._rank)
        ordered = sorted(self._cards, key=lambda id_: (self._rank.get(first_version(id_), last), id_))
        self._cards = {id_: self._cards[id_] for id_ in ordered}

    def _reject_chains(self, items: Sequence[ReviewedItem]) -> None:
        rejected = [item.question for item in items if self._states[item.question.id].state == "rejected"]
        for id_ in through([item.question for item in items], rejected) if rejected else ():
            state = self._states.get(id_)
            if state and not state.counted:
                self._states[id_] = state._replace(state="rejected", missing=0)

    def _card(self, item: ReviewedItem) -> ReviewCard:
        question = item.question
        state = self._states[question.id].state
        return ReviewCard(
            question.id,
            question.sample,
            row_of(question.kind, question.hop),
            question.text,
            question.answer,
            question.key[-1].relation if question.key else "",
            self._signs.get(first_version(question.id), ()),
            "revised" if question.status == "revised" and state == "approved" else state,
        )

    @property
    def cards(self) -> list[ReviewCard]:
        """The questions in brief, most doubtful first."""
        return list(self._cards.values())

    def listed(self, listing: Listing) -> list[ReviewCard]:
        """Return the questions that ``listing`` admits, most doubtful first."""
        return [card for card in self._cards.values() if listing.takes(card)]

    def card(self, id_: str) -> ReviewCard:
        """Return a question in brief; raises InputError if it is not in the queue."""
        if id_ not in self._cards:
            newest = self.newest(id_)
            hint = f"its newest version is {newest!r}" if newest else "open the gallery"
            raise InputError(f"no question {id_!r} is open for review here; {hint}")
        return self._cards[id_]

    def newest(self, id_: str) -> str | None:
        """Return the id of a question's current version, None if the question is gone."""
        own = self._samples.get(sample_of_question(id_), ())
        return next((each for each in own if each in self._cards and first_version(each) == first_version(id_)), None)

    def item(self, id_: str) -> ReviewedItem:
        """Return a question with its options and version; raises InputError."""
        return self._items[self.card(id_).id]

    def state(self, id_: str) -> QuestionState:
        """Return the state of a question."""
        return self._states[id_]

    def own(self, id_: str, reviewer: str) -> Review | None:
        """Return a reviewer's decision in force on a question."""
        return standing(self._reviews.get(id_, ())).get(reviewer)

    def waits_for(self, id_: str, reviewer: str) -> bool:
        """Return True if a question needs this reviewer, in addition to others who have it open."""
        state = self._states[id_]
        if not state.needs(reviewer):
            return False
        others = sum(
            name != reviewer and id_ == claimed and name not in state.reviewers and time.monotonic() - since < AWAY
            for name, (claimed, since) in self._claims.items()
        )
        return state.missing > others

    def next_of(self, listing: Listing, reviewer: str, *, after: str = "") -> str | None:
        """Return the next question of a list for a reviewer, cyclically from ``after``; disputed ones come last.

        Returns None if there is none.
        """
        ids = [card.id for card in self.listed(listing)]
        place = ids.index(after) + 1 if after in ids else self._place(after, ids)
        waiting = (id_ for id_ in (*ids[place:], *ids[:place]) if self.waits_for(id_, reviewer))
        last = None
        for id_ in waiting:
            if self._states[id_].state != "disputed":
                return id_
            last = last or id_
        return last

    def _place(self, id_: str, ids: Sequence[str]) -> int:
        rank = self._rank.get(first_version(id_), -1)
        return sum(self._rank.get(first_version(each), -1) <= rank for each in ids) if id_ else 0

    def claim(self, id_: str, reviewer: str) -> None:
        """Reserve a question that a reviewer opened, so that others are not given it."""
        self._claims[reviewer] = id_, time.monotonic()

    def pick(self, id_: str, reviewer: str) -> str | None:
        """Return a reviewer's answer from before the key was shown, None if it was not asked for yet."""
        version = self._items[id_].version
        if (reviewer, version) in self._picks:
            return self._picks[reviewer, version]
        own = self.own(id_, reviewer)
        return own.pick if own else None

    def keep_pick(self, id_: str, reviewer: str, text: str) -> None:
        """Save a reviewer's first answer; later ones are ignored."""
        self._picks.setdefault((reviewer, self.item(id_).version), text)

    def hides_key(self, id_: str, reviewer: str) -> bool:
        """Return True if a reviewer must answer before the key is shown."""
        return self.scope.blind and self.pick(id_, reviewer) is None

    def last_of(self, reviewer: str) -> str | None:
        """Return the question of a reviewer's latest decision in force, None if there is none."""
        own = [(each, id_) for id_ in self._reviews if (each := self.own(id_, reviewer)) is not None]
        return max(own, key=lambda pair: pair[0].time)[1] if own else None

    def progress(self, reviewer: str) -> ReviewProgress:
        """Return the progress of the review, with the decisions of one reviewer."""
        states = [self._states[id_] for id_ in self._cards]
        reviews = (review for group in self._reviews.values() for review in group)
        return review_progress(states, reviews, reviewer, reviewers=len(self.scope.reviewers))

    def count_pictures(self, samples: Iterable[str]) -> dict[str, int]:
        """Count the pictures of each sample that can be shown."""
        with self._lock:
            read = self._work.store.samples(ids=sorted({*samples}))
        return {sample.id: len(self.folders.find_all(sample.images, sample.image_id)) for sample in read}

    def pictures(self, sample: str) -> tuple[Path, ...]:
        """Return a sample's picture files; raises InputError if it is not under review or has none."""
        with self._lock:
            read = self._work.store.samples(ids=[sample]) if sample in self._samples else []
        files = self.folders.find_all(read[0].images, read[0].image_id) if read else ()
        if not files:
            raise InputError(f"no picture of {sample!r} in the folders that its benchmark was loaded with")
        return files
