"""Storage of reviewers' decisions: each is a separate node linked to its question, and never changes.

Pairs are stored as text: ``criterion: opinion`` or ``option: flag``.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, get_args

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection, Transaction, batches
from kbe_graph.store.rows import Row, flagged, node_row, properties_of, refuse_row, value_of
from kbe_graph.types import Review
from kbe_graph.types.review import CRITERIA, Opinion, OptionFlag

BATCH = 500
READ = 2_000
_PAIRS = ("criteria", "options")


def review_row(review: Review) -> Row:
    """Convert a decision to a node."""
    pairs = {name: [f"{key}: {value}" for key, value in getattr(review, name)] for name in _PAIRS}
    return node_row(review.id, properties_of(review, "id") | pairs | {"seconds": float(review.seconds)})


def review_of(row: Mapping[str, Any]) -> Review:
    """Build a Review from its node."""
    criteria = tuple(flagged("review", row, "criteria", get_args(Opinion)))
    if strangers := [key for key, _ in criteria if key not in CRITERIA]:
        refuse_row("review", row["id"], "criteria", strangers[0])
    options = tuple(flagged("review", row, "options", get_args(OptionFlag)))
    return value_of(Review, "review", row, criteria=criteria, options=options)


def review_order(review: Review) -> tuple[str, str, int, str]:
    """Return the sort key of a decision: question, time, number, id."""
    number = review.id.rpartition("|")[2]
    return review.question, review.time, int(number) if number.isdecimal() else 0, review.id


def save_reviews(connection: Connection, reviews: Sequence[Review]) -> None:
    """Add decisions in batches; existing ones are kept.

    Raises InputError if an id is already stored with different content, or a question does not exist.
    """
    for batch in batches(reviews, BATCH):
        connection.write(partial(_save, reviews=batch))


def _save(transaction: Transaction, reviews: Sequence[Review]) -> None:
    rows = transaction.run("reviews_by_id", ids=sorted({review.id for review in reviews}))
    stored = {row["review"]["id"]: review_of(row["review"]) for row in rows}
    fresh = _fresh(reviews, stored)
    asked = sorted({review.question for review in fresh})
    present = {row["id"] for row in transaction.run("question_ids", ids=asked)}
    if strangers := [id_ for id_ in asked if id_ not in present]:
        raise InputError(f"no question {strangers[0]!r} in the graph to review; choose a question of an existing run")
    transaction.save("save_reviews", [review_row(review) for review in fresh])
    transaction.save("save_reviews_of", [{"subject": review.id, "object": review.question} for review in fresh])


def _fresh(reviews: Iterable[Review], stored: Mapping[str, Review]) -> list[Review]:
    fresh: dict[str, Review] = {}
    for review in reviews:
        former = stored.get(review.id) or fresh.get(review.id)
        if former is None:
            fresh[review.id] = review
        elif former != review:
            raise InputError(
                f"review {review.id!r} already exists with different content, and decisions are never "
                "changed; give the new one its own number"
            )
    return list(fresh.values())


def read_reviews(
    connection: Connection, *, questions: Sequence[str] | None, run: str | None, reviewer: str | None
) -> list[Review]:
    """Return decisions sorted by question, time and number."""
    if questions is None:
        rows = connection.read("reviews", run=run, reviewer=reviewer)
    else:
        ids = batches(sorted(set(questions)), READ)
        rows = [row for batch in ids for row in connection.read("reviews_of_questions", ids=batch)]
    reviews = [review_of(row["review"]) for row in rows]
    return sorted((review for review in reviews if reviewer in (None, review.reviewer)), key=review_order)
