"""Import of decisions from files: completed sheets, and logs of other workspaces."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source
from kbe_graph.review.review_desk import ReviewDesk
from kbe_graph.review.review_record import read_review
from kbe_graph.review.revision import Revision
from kbe_graph.review.sheet import Given
from kbe_graph.review.state import made_question
from kbe_graph.types import Review

_SAME = ("question", "reviewer", "version", "verdict", "criteria", "reason", "options", "pick")


class TakenReviews(NamedTuple):
    """The numbers of imported decisions of a file, and of those that already existed."""

    taken: int
    repeated: int


def take_given(desk: ReviewDesk, given: Sequence[Given], *, insist: bool = False) -> TakenReviews:
    """Import the decisions of a sheet, all or none; those imported before are skipped.

    ``insist`` accepts new wordings that a check refuses. Raises DatasetError with the place of an invalid decision.
    """
    earlier = desk.store.reviews(sorted({each.question for each in given}))
    fresh: list[Review] = []
    for each in given:
        if not any(_is_same(each, review) for review in earlier):
            fresh.append(_made(desk, each, insist=insist))
            desk.reserve(fresh[-1])
    desk.write(fresh)
    return TakenReviews(len(fresh), len(given) - len(fresh))


def _made(desk: ReviewDesk, given: Given, *, insist: bool) -> Review:
    try:
        review = desk.make(
            given.question,
            given.verdict,
            reviewer=given.reviewer,
            opinions=given.opinions,
            revision=given.revision,
            version=given.version,
            insist=insist,
        )
    except InputError as error:
        raise given.record.error(str(error)) from None
    return replace(review, time=_in_utc(given.record, given.time)) if given.time else review


def _in_utc(record: Record, time: str) -> str:
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        raise record.error(f"'created_at' is {time[:60]!r}; write it as 2026-11-27T10:00:00Z") from None
    moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _is_same(given: Given, review: Review) -> bool:
    opinions = given.opinions
    own = (given.question, given.reviewer, given.version or review.version, given.verdict)
    same = (*own, opinions.criteria, opinions.reason, opinions.options, opinions.pick)
    return same == tuple(getattr(review, name) for name in _SAME) and _says(given.revision, review)


def _says(revision: Revision | None, review: Review) -> bool:
    after = json.loads(review.after) if review.after else {}
    wanted = {} if revision is None else {name: getattr(revision, name) for name in revision.__slots__}
    return all(
        after.get(name) == (list(value) if isinstance(value, tuple) else value)
        for name, value in wanted.items()
        if value is not None
    )


def take_log(desk: ReviewDesk, file: Path) -> TakenReviews:
    """Import the decisions of a log, all or none; existing ones are skipped.

    Raises DatasetError for a decision with other content here, or on a question that does not exist.
    """
    earlier = {review.id: review for review in (*desk.log.read(), *desk.store.reviews())}
    reviews = [(record, read_review(record)) for record in open_source(file).records()]
    made = {made_question(review) for _, review in reviews}
    present = desk.present([review.question for _, review in reviews])
    fresh: dict[str, Review] = {}
    for record, review in reviews:
        former = earlier.get(review.id) or fresh.get(review.id)
        if former not in (None, review):
            raise record.error(f"review {review.id!r} already exists with different content; nothing was imported")
        if former is None and review.question not in present | made:
            raise record.error(f"no question {review.question!r} in this workspace; remove the line")
        if former is None:
            fresh[review.id] = review
    desk.write(_in_order(fresh.values()))
    return TakenReviews(len(fresh), len(reviews) - len(fresh))


def _in_order(reviews: Iterable[Review]) -> list[Review]:
    return sorted(reviews, key=lambda review: review.time)
