"""FVQA: a JSON object of questions by id, each with its supporting fact."""

import re
from collections.abc import Iterator

from kbe_graph.datasets.format import Format, ReadOptions, SampleRow
from kbe_graph.files.image import image_id
from kbe_graph.files.record import MOST_ID, Record
from kbe_graph.files.records import RecordSource
from kbe_graph.types import Sample

_PARTS = 3
_SURFACE = re.compile(r".*?\[\[(.+?)\]\](.+?)\[\[(.+?)\]\]")


def _matches(source: RecordSource) -> bool:
    fields = set(source.fields)
    return {"question", "answer", "img_file"} <= fields and bool(fields & {"fact", "fact_surface"})


def _rows(source: RecordSource, _: ReadOptions) -> Iterator[SampleRow]:
    return (SampleRow(record, _sample(record)) for record in source.records())


def _sample(record: Record) -> Sample:
    image = record.text("img_file")
    return Sample(
        id=record.text("question_id" if record.has("question_id") else "id"),
        benchmark="",
        split=record.optional("split"),
        question=record.text("question"),
        answer=record.text("answer"),
        answers=(record.text("answer"),),
        image=image,
        image_id=image_id(image),
        fact=_fact(record),
    )


def _fact(record: Record) -> tuple[str, str, str] | None:
    parts = tuple(part.removeprefix("Category:").replace("_", " ") for part in record.texts("fact"))
    if len(parts) == _PARTS:
        return parts[0], parts[1], parts[2]
    text = record.optional("fact_surface")
    record.refuse_long("fact_surface", [text], MOST_ID)  # the pattern takes time quadratic in the length
    surface = _SURFACE.match(text)
    return (surface[1].strip(), surface[2].strip(), surface[3].strip()) if surface else None


_COLUMNS = {
    "id": "question_id",
    "question": "question",
    "answer": "answer",
    "image": "img_file",
    "fact": "fact",
    "fact_surface": "fact_surface",
    "split": "split",
}
FVQA = Format("fvqa: 'question', 'answer', 'img_file' and 'fact' or 'fact_surface'", _matches, _rows, _COLUMNS)
