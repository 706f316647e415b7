"""Storage of reviewers' decisions: each is a separate node linked to its question, and never changes."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from kbe_graph.errors import InputError, StoreError
from kbe_graph.store.connection import DuplicateKey, Stored, Transaction
from kbe_graph.store.nodes import Evolved, node_row, properties_of, value_of
from kbe_graph.store.questions import form_rows, question_rows, write_questions
from kbe_graph.types import Question, QuestionForm, Review

TRIES = 20  # of a decision that another process numbers alike


class ReviewSave(NamedTuple):
    """Decisions to store together, with the questions and forms that they make, and what else is written with them.

    The decisions have no ids yet. ``besides`` is called last, before the commit; where it fails, nothing is stored.
    """

    reviews: Sequence[Review]
    questions: Sequence[Question] = ()
    forms: Sequence[QuestionForm] = ()
    besides: Callable[[], object] = lambda: None


class StoredReviews(Stored):
    """The decisions of reviewers."""

    def save_reviews(self, saved: ReviewSave) -> list[Review]:
        """Store decisions in one transaction, and return them with their ids: question, reviewer and number.

        A decision gets the next number of its reviewer, so that numbers tell which decision was made last here, and
        none replaces another process's. Raises InputError if a question does not exist.
        """
        for _ in range(TRIES):
            with suppress(DuplicateKey):
                return self.connection.write(partial(_save, saved=saved))
        raise StoreError(f"another process keeps deciding on {saved.reviews[0].question!r}; try again")

    def count_reviews(self) -> int:
        """Count the decisions of reviewers."""
        return sum(row["decisions"] for row in self.connection.read("count_reviews"))

    def reviews(
        self, questions: Sequence[str] | None = None, *, run: str | None = None, reviewer: str | None = None
    ) -> list[Review]:
        """Return reviewers' decisions on ``questions`` (ids) or on a run, sorted by question, time and number."""
        if questions is None:
            rows = self.connection.read("reviews", run=run, reviewer=reviewer)
        else:
            rows = self.connection.read_by_ids("reviews_of_questions", questions)
        reviews = [value_of(Review, "review", row["review"]) for row in rows]
        own = (review for review in reviews if reviewer in (None, review.reviewer))
        return sorted(own, key=lambda review: (review.question, review.time, review.number, review.id))


def _save(transaction: Transaction, saved: ReviewSave) -> list[Review]:
    made = {question.id: question for question in saved.questions}
    asked = sorted({review.question for review in saved.reviews} | made.keys())
    present = {row["id"] for row in transaction.run("question_ids", ids=asked)}
    if strangers := [id_ for id_ in asked if id_ not in present | made.keys()]:
        raise InputError(f"no question {strangers[0]!r} in the graph to review; choose a question of an existing run")
    fresh = [Evolved(question) for id_, question in made.items() if id_ not in present]
    write_questions(transaction, question_rows(fresh))
    forms = [form for form in saved.forms if form.question not in present]
    transaction.save_all(form_rows(forms))
    transaction.run("lock_questions", ids=asked)
    names = sorted({review.reviewer for review in saved.reviews})
    following = {row["reviewer"]: row["number"] + 1 for row in transaction.run("last_review_numbers", reviewers=names)}
    reviews = list(_numbered(saved.reviews, Counter(following)))
    rows = [node_row(each.id, properties_of(each, "id") | {"seconds": float(each.seconds)}) for each in reviews]
    transaction.save("create_reviews", rows)
    saved.besides()
    return reviews


def _numbered(reviews: Iterable[Review], following: Counter[str]) -> Iterable[Review]:
    for review in reviews:
        yield replace(review, id=f"{review.question}|{review.reviewer}|{following[review.reviewer]}")
        following[review.reviewer] += 1
