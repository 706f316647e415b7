"""The queue of a study: its items in the order of the draw, for each rater."""

from collections.abc import Mapping, Sequence

from kbe_graph.files.image import ImageFolders
from kbe_graph.review.item_form import ItemForm
from kbe_graph.review.review_desk import ReviewDesk, seconds_of
from kbe_graph.review.review_queue import ItemQueue, Outcome, Pairs, QueueCard, ReviewScope
from kbe_graph.review.state import QuestionState
from kbe_graph.review.study import Study, StudyItem, make_rating, ratings_of, study_form
from kbe_graph.store.reviews import ReviewSave
from kbe_graph.types import Review


class StudyQueue(ItemQueue):
    """The items of a study in the order of the draw; each needs each rater."""

    def __init__(self, desk: ReviewDesk, scope: ReviewScope, images: ImageFolders, study: Study) -> None:
        self._study = study
        self._items: Mapping[str, StudyItem] = {item.id: item for item in study.items}
        super().__init__(desk, scope, images)

    def read(self) -> None:
        """Read the ratings of all items."""
        asked = [item.questions[0].id for item in self._study.items]
        for id_, own in ratings_of(self._study, self.desk.store.reviews(asked)).items():
            self._put(id_, tuple(own.values()))

    def _put(self, id_: str, ratings: tuple[Review, ...]) -> None:
        item = self._items[id_]
        missing = len({*self.scope.reviewers} - {review.reviewer for review in ratings})
        state = QuestionState(id_, "open" if missing else "rated", ratings, missing)
        text = " / ".join(question.text for question in item.questions)
        self.states[id_] = state
        self.cards[id_] = QueueCard(id_, item.sample, "", text, "", state=state.state)

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
