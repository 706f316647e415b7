"""Decisions as JSON lines, with full validation on reading, as anybody may have changed the file."""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, cast, get_args

from kbe_graph.files.record import Record
from kbe_graph.text import name_fault
from kbe_graph.types import Review
from kbe_graph.types.review import CRITERIA, Opinion, OptionFlag, ReviewVerdict

VERDICTS: tuple[ReviewVerdict, ...] = get_args(ReviewVerdict)
OPINIONS: tuple[Opinion, ...] = get_args(Opinion)
FLAGS: tuple[OptionFlag, ...] = get_args(OptionFlag)
Pairs = tuple[tuple[str, str], ...]


def review_id(question: str, reviewer: str, number: int) -> str:
    """Build the id of a decision.

    >>> review_id("own/val/1@demo/2", "Ana", 0)
    'own/val/1@demo/2|Ana|0'
    """
    return f"{question}|{reviewer}|{number}"


def time_now() -> str:
    """Get the current time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def review_line(review: Review) -> str:
    """Encode a decision as a line of JSON, without empty fields."""
    return json.dumps(review_fields(review), ensure_ascii=False) + "\n"


def review_fields(review: Review) -> dict[str, Any]:
    """Convert a decision to a mapping, with nested mappings for criteria and options, and without empty fields."""
    fields: dict[str, Any] = asdict(review) | {"criteria": dict(review.criteria), "options": dict(review.options)}
    for name in ("before", "after"):
        fields[name] = json.loads(fields[name]) if fields[name] else ""
    return {name: value for name, value in fields.items() if value or name == "seconds"}


def read_review(record: Record) -> Review:
    """Parse a decision from a line written by ``review_line``. Raises DatasetError with file, line and field."""
    question, reviewer = record.text("question"), reviewer_in(record)
    id_ = record.text("id")
    head, _, number = id_.rpartition("|")
    if head != f"{question}|{reviewer}" or not number.isdecimal():
        raise record.error(f"'id' is {id_!r}; it must be question, reviewer and a number, separated by bars")
    return Review(
        id_,
        question,
        record.text("version"),
        reviewer,
        time_in(record),
        seconds_in(record),
        verdict_in(record, "verdict"),
        cast("tuple[tuple[str, Opinion], ...]", pairs_in(record, "criteria", CRITERIA, OPINIONS)),
        record.optional("reason"),
        cast("tuple[tuple[str, OptionFlag], ...]", pairs_in(record, "options", None, FLAGS)),
        record.optional("pick"),
        record.texts("wrong_facts") if record.has("wrong_facts") else (),
        _fields_in(record, "before"),
        _fields_in(record, "after"),
    )


def reviewer_in(record: Record, usual: str = "") -> str:
    """Get the reviewer of a record, or ``usual`` if it names none; raises DatasetError."""
    reviewer = record.optional("reviewer") or usual or record.text("reviewer")
    if fault := name_fault(reviewer):
        raise record.error(f"'reviewer' is {reviewer!r}, which {fault}")
    return reviewer


def verdict_in(record: Record, field: str) -> ReviewVerdict:
    """Get the verdict of a record. Raises DatasetError for any other word."""
    return cast("ReviewVerdict", choice_in(record, field, record.text(field), VERDICTS))


def choice_in(record: Record, field: str, word: str, choices: Collection[str]) -> str:
    """Validate a word against the choices, ignoring case. Raises DatasetError for any other word."""
    if (lower := word.strip().lower()) not in choices:
        raise record.error(f"{field!r} is {word[:60]!r}; write {' or '.join(choices)}")
    return lower


def time_in(record: Record) -> str:
    """Get the time of a record. Raises DatasetError unless it is in ISO format."""
    text = record.text("time")
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise record.error(f"'time' is {text[:60]!r}; write it as 2026-11-27T10:00:00Z") from None
    return text


def seconds_in(record: Record, field: str = "seconds") -> float:
    """Get the seconds of a record, 0 if missing. Raises DatasetError unless they are a number from 0."""
    text = record.optional(field) or "0"
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < math.inf:
        raise record.error(f"{field!r} is {text[:60]!r}; write a number of 0 or more")
    return seconds


def pairs_in(record: Record, field: str, keys: Collection[str] | None, words: Collection[str]) -> Pairs:
    """Get the pairs of a field with a mapping. Raises DatasetError for an unknown key or word."""
    value = record.fields.get(field) or {}
    if not isinstance(value, Mapping):
        raise record.error(f"{field!r} must map names to {' or '.join(words)}")
    for key in value:
        if keys is not None and key not in keys:
            raise record.error(f"{field!r} names {str(key)[:60]!r}; the names are {', '.join(keys)}")
    return tuple((str(key), choice_in(record, f"{field} {key}", str(word), words)) for key, word in value.items())


def _fields_in(record: Record, field: str) -> str:
    value = record.fields.get(field) or {}
    if not isinstance(value, Mapping):
        raise record.error(f"{field!r} must hold the fields of a question")
    return json.dumps(value, ensure_ascii=False) if value else ""
