"""A riddle: a question as one sees it who is not shown its picture."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.text import fold
from kbe_graph.types import Question, Sample

RAW_ROW, RESELECTED_ROW = "raw", "re-selected"


class Riddle(NamedTuple):
    """A question's words, its answer, all its right answers, and the relations of its chain; names are folded.

    ``row`` is what it is counted with: raw questions, re-selected ones, or those of a hop. ``picture`` tells which
    questions are of one image; ``id`` is the question's.
    """

    id: str
    row: str
    text: str
    answer: str
    right: frozenset[str]
    chain: tuple[str, ...]
    picture: str


Rows = Mapping[str, Sequence[Riddle]]


def riddle_of(sample: Sample, question: Question) -> Riddle:
    """Return a question as a riddle; what people said of a raw question and its aliases are right as well."""
    return Riddle(
        id=question.id,
        row=row_of(question.kind, question.hop),
        text=question.text,
        answer=fold(question.answer),
        right=frozenset(map(fold, (question.answer, *question.aliases))),
        chain=tuple(triplet.relation for triplet in question.explored),
        picture=sample.image_id or sample.image or sample.id,
    )


def by_row(riddles: Iterable[Riddle]) -> Rows:
    """Return the riddles, by id, of raw questions, of re-selected ones, and of each hop, in this order."""
    rows: dict[str, list[Riddle]] = defaultdict(list)
    for riddle in sorted(riddles, key=_order):
        rows[riddle.row].append(riddle)
    return rows


def _order(riddle: Riddle) -> tuple[object, ...]:
    return riddle.row != RAW_ROW, riddle.row != RESELECTED_ROW, len(riddle.row), riddle.row, riddle.id


def row_of(kind: str, hop: int) -> str:
    """Return the row that counts a question of this kind."""
    return {"raw": RAW_ROW, "reselected": RESELECTED_ROW}.get(kind, f"hop {hop}")
