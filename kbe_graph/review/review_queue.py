"""The queues of the review pages: questions by doubt, or a study's items as drawn."""

from collections.abc import Callable, Collection, Iterable, Sequence

from kbe_graph.errors import InputError
from kbe_graph.files.image import ImageFolders
from kbe_graph.review.consequences import through
from kbe_graph.review.doubt import doubts
from kbe_graph.review.item_form import CRITERIA_ASKED, FormChain, ItemForm
from kbe_graph.review.item_queue import ItemQueue, Outcome, Pairs, QueueCard, ReviewScope
from kbe_graph.review.review_desk import GivenVerdict, NotInsistedError, ReviewDesk, seconds_of
from kbe_graph.review.revision import Revision
from kbe_graph.review.state import (
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
from kbe_graph.types import CRITERIA, OPINIONS, OPTION_FLAGS, RAW, Question, Review, ReviewVerdict, sample_of_question

CHANGED = "This question changed in the meantime, so nothing was saved. Review it again."
SAID = {"approve": "approved", "reject": "rejected", "revise": "revised"}
ReadChain = Callable[[Store, Question], FormChain]


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
        items = read_items(store, run=self._run, benchmark=benchmark, samples=sorted(samples) if samples else None)
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
        old = {id_ for id_ in self._items if not samples or sample_of_question(id_) in samples}
        before = old & self.cards.keys()
        self._items = {id_: item for id_, item in self._items.items() if id_ not in old}
        self._items |= {item.question.id: item for item in items}
        self.states = {id_: state for id_, state in self.states.items() if id_ not in old} | states
        cards = {item.question.id: self._card(item) for item in current_items(items, states)}
        self.cards |= cards
        if not samples or before != cards.keys():
            kept = [id_ for id_ in self.cards if id_ not in before or id_ in cards]
            self.cards = {id_: self.cards[id_] for id_ in sorted(kept, key=lambda id_: (self._doubt(id_)[0], id_))}

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
        question = item.question
        return QueueCard(
            question.id,
            question.sample,
            row_name(question),
            question.text,
            question.answer,
            question.key[-1].relation if question.key else "",
            self._doubt(question.id)[1],
            state_in_words(item, self.states),
        )

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
        decision = read_decision(pairs, reviewer)
        id_ = decision.question
        if (last := self.newest(id_)) not in {None, id_}:
            return Outcome(last, CHANGED), ()
        text = self.item(id_).question.text
        try:
            if decision.wrong_facts and decision.verdict == "reject" and not decision.insist:
                self._ask_about(decision)
            written = self.desk.decide(decision)
        except NotInsistedError:
            raise
        except InputError:
            self._renew([id_])
            newest = self.newest(id_)
            if newest is None or self.item(newest).version == decision.version:
                raise
            return Outcome(newest, CHANGED), ()
        self._renew(review.question for review in written)
        return Outcome(None, f"{SAID[decision.verdict]}: {text}"), written

    def _ask_about(self, decision: GivenVerdict) -> None:
        id_ = decision.question
        others = {each for triplet in decision.wrong_facts for each in self.desk.resting_on(id_, triplet)} - {id_}
        rest = "1 other question that rests" if len(others) == 1 else f"{len(others)} other questions that rest"
        more = f" This also rejects {rest} on it." if others else ""
        raise NotInsistedError(f"Later runs will treat the fact as wrong.{more}")

    def take_back(self, id_: str, reviewer: str) -> Sequence[Review]:
        """Undo a reviewer's decision on a question."""
        written = self.desk.decide(GivenVerdict(id_, "undo", reviewer))
        self._renew([id_])
        return written


def read_decision(pairs: Pairs, reviewer: str) -> GivenVerdict:
    """Parse the decision in the fields of a form: the desk checks what it says."""
    given = dict(pairs)

    def values(field: str) -> tuple[str, ...]:
        return tuple(value for name, value in pairs if name == field)

    verdict: ReviewVerdict = given.get("verdict", "")  # type: ignore[assignment]
    revision = None
    if verdict == "revise":
        answer, right = given.get("answer"), given.get("right", "")
        aliases = tuple(given["aliases"].splitlines()) if "aliases" in given else None
        options = tuple(answer if answer and fold(each) == fold(right) else each for each in values("option"))
        revision = Revision(given.get("text"), answer, aliases, options or None)
    return GivenVerdict(
        given.get("id", ""),
        verdict,
        reviewer,
        tuple((name, given[name]) for name in CRITERIA if given.get(name)),
        given.get("reason", "").strip(),
        tuple((option, flag) for flag in OPTION_FLAGS for option in values(flag)),
        values("wrong"),
        seconds_of(given.get("seconds", "")),
        revision,
        given.get("version", ""),
        insist=given.get("insist") == "yes",
    )


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
