"""Reads an exported file of questions that guessers learn from."""

from collections.abc import Iterator
from pathlib import Path

from kbe_graph.files.image import image_id
from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source
from kbe_graph.guess.riddle import Riddle, row_of
from kbe_graph.text import fold

KINDS = ("raw", "reselected", "explored")
MOST_HOPS = 1000


def read_riddles(file: Path) -> list[Riddle]:
    """Return the kept questions of a file that ``kbe export jsonl`` wrote, as riddles.

    Raises DatasetError, which names the line and what is wrong in it.
    """
    return [_riddle(record) for record in open_source(file).records() if record.optional("status") in {"", "kept"}]


def _riddle(record: Record) -> Riddle:
    kind, hop = record.text("kind"), record.number("hop", below=MOST_HOPS)
    if kind not in KINDS:
        raise record.error(
            f"'kind' is {kind!r}, and must be one of {', '.join(KINDS)}; give one of `work.export(FILE)`"
        )
    relations = tuple(_relations(record))
    if hop > len(relations):
        raise record.error(f"'hop' is {hop} and 'key' holds {len(relations)} triplets; each hop adds one to the key")
    answer, image = record.text("answer"), record.optional("image")
    return Riddle(
        id=record.text("id"),
        row=row_of(kind, hop),
        text=record.text("question"),
        answer=fold(answer),
        right=frozenset(map(fold, (answer, *record.texts("aliases")))),
        chain=relations[len(relations) - hop :],
        picture=image_id(image) if image else record.text("sample"),
    )


def _relations(record: Record) -> Iterator[str]:
    key = record.fields.get("key")
    if not isinstance(key, list) or not all(isinstance(triplet, dict) for triplet in key):
        raise record.error("'key' must be a list of triplets; give one of `work.export(FILE)`")
    for number, triplet in enumerate(key, 1):
        yield Record(record.file, triplet, record.line, record.item or f"key triplet {number}").text("relation")
