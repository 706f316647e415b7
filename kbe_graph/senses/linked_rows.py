"""Links the answers of a table to concepts, a row a row."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kbe_graph.english.vectors import Embedder
from kbe_graph.files.records import read_rows
from kbe_graph.senses.sense import link


class LinkedRow(NamedTuple):
    """A question and its answer with the answer's concept; an abstention has none, and its reason says why."""

    question: str
    answer: str
    concept: str
    gloss: str
    confidence: float
    reason: str


def link_table(path: Path, *, embed: Embedder | None = None) -> Iterator[LinkedRow]:
    """Yield the rows of a table with columns question and answer, linked; raises DatasetError on bad input.

    A column ``objects`` may name what is seen in the image, with commas between.
    """
    for record in read_rows(path, ("question", "answer")):
        question, answer = record.optional("question"), record.optional("answer")
        objects = [name.strip() for name in record.optional("objects").split(",") if name.strip()]
        yield LinkedRow(question, answer, *link(question, answer, objects, embed=embed))
