"""Any table (JSONL, JSON, CSV, TSV, Parquet): columns by their names, or as the user maps them."""

from collections.abc import Iterator, Mapping
from typing import Any

from kbe_graph.datasets.format import Format, ReadOptions, SampleRow, majority
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import decode_base64, image_id, save_image
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource
from kbe_graph.text import quoted
from kbe_graph.types import Sample

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "question_id"),
    "question": ("question",),
    "answer": ("answer",),
    "answers": ("answers",),
    "image": ("image", "image_path", "file_name"),
    "image_id": ("image_id",),
    "split": ("split",),
    "choices": ("choices",),
    "rationales": ("rationales",),
}
"""The fields of a sample that a table can hold, with the columns they are read from unless the user maps them."""


def _matches(source: RecordSource) -> bool:
    fields = set(source.fields)
    return "question" in fields and bool(fields & {"answer", "answers"})


def _rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    columns = _columns(source, options.columns)
    for number, record in enumerate(source.records(), 1):
        yield SampleRow(record, _sample(record, columns, number, options))


def _columns(source: RecordSource, mapped: Mapping[str, str]) -> Mapping[str, str]:
    """Return the column of each field that has one; mapped answer columns take the place of the usual ones."""
    for name, column in mapped.items():
        if name not in COLUMNS:
            raise DatasetError(source.file, f"no field {name!r} to map; there are {', '.join(COLUMNS)}")
        if column not in source.fields:
            raise DatasetError(source.file, f"no column {column!r} to map {name!r} to; found {quoted(source.fields)}")
    taken = {"answer", "answers"} if mapped.keys() & {"answer", "answers"} else set()
    usual = {name: next((c for c in names if c in source.fields), names[0]) for name, names in COLUMNS.items()}
    return {**{name: column for name, column in usual.items() if name not in taken}, **mapped}


def _sample(record: Record, columns: Mapping[str, str], number: int, options: ReadOptions) -> Sample:
    answer, answers = _answers(record, columns)
    image = _image(record, columns["image"], options)
    return Sample(
        id=record.optional(columns["id"]) or str(number),
        benchmark="",
        split=record.optional(columns["split"]),
        question=record.text(columns["question"]),
        answer=answer,
        answers=answers,
        image=image,
        image_id=image_id(record.optional(columns["image_id"]) or image),
        choices=record.texts(columns["choices"]),
        rationales=record.texts(columns["rationales"]),
    )


def _answers(record: Record, columns: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Return the answer and all answers: the one named, else the majority of several."""
    answer_column, answers_column = columns.get("answer"), columns.get("answers")
    answers = record.texts(answers_column) if answers_column else ()
    if answer_column and isinstance(record.fields.get(answer_column), list):
        answers = answers or record.texts(answer_column)
    elif answer_column and (record.has(answer_column) or not answers):
        return record.text(answer_column), answers or (record.text(answer_column),)
    if not answers:
        raise record.error(f"no answer in {answers_column or answer_column!r}; a sample needs one")
    return majority(answers), answers


def _image(record: Record, column: str, options: ReadOptions) -> str:
    """Return the image's path, or the name under which its bytes were saved (Hugging Face: ``{bytes, path}``)."""
    value: Any = record.fields.get(column)
    parts = value if isinstance(value, dict) else {"bytes": value, "path": value}
    content = parts.get("bytes")
    try:
        if isinstance(content, str) and content.startswith("data:image/"):
            content = decode_base64(content)
        if isinstance(content, bytes):
            return save_image(content, options.save_images)
    except ValueError as error:
        raise record.error(f"{column!r} is {error}") from None
    return Record(record.file, {column: parts.get("path")}, record.line, record.item).optional(column)


TABLE = Format("table: 'question' and 'answer' or 'answers', or a map of columns", _matches, _rows)
