"""VLMEvalKit TSV: ``index``, ``question``, ``answer``, options ``A``, ``B``, ... and an image.

The image is base64, a pointer (a cell of at most 64 characters is the ``index`` of another row, whose image it
takes), or a path in ``image_path``; the rules are those of its ``ImageBaseDataset``.
"""

import string
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kbe_graph.datasets.format import Format, ReadOptions, SampleRow, majority
from kbe_graph.files.image import decode_base64, image_id, save_image
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource
from kbe_graph.types import Sample

_POINTER = 64


class _Picture(NamedTuple):
    name: str = ""
    points_to: str = ""


def _matches(source: RecordSource) -> bool:
    fields = set(source.fields)
    return {"index", "question", "answer"} <= fields and bool(fields & {"image", "image_path"})


def _rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    rows = [(_light(record), _picture(record, options)) for record in source.records()]
    names = {record.text("index"): picture.name for record, picture in rows if picture.name}
    return (SampleRow(record, _sample(record, _resolved(record, picture, names))) for record, picture in rows)


def _light(record: Record) -> Record:
    """Return the record without its image, so that a file of images need not fit in memory."""
    return Record(record.file, {k: v for k, v in record.fields.items() if k != "image"}, record.line, record.item)


def _picture(record: Record, options: ReadOptions) -> _Picture:
    cell = record.optional("image")
    if not cell:
        return _Picture(record.text("image_path"))
    if len(cell) <= _POINTER:
        return _Picture(points_to=cell)
    if cell.startswith("["):
        raise record.error("'image' is a list; a sample has one image")
    try:
        return _Picture(save_image(decode_base64(cell), options.save_images))
    except ValueError as error:
        raise record.error(f"'image' is {error}; found {cell[:20]!r}") from None


def _resolved(record: Record, picture: _Picture, names: Mapping[str, str]) -> str:
    if picture.points_to and picture.points_to not in names:
        raise record.error(f"'image' points to {picture.points_to!r}; no row of that 'index' holds an image")
    return picture.name or names[picture.points_to]


def _sample(record: Record, image: str) -> Sample:
    options = {letter: record.optional(letter) for letter in string.ascii_uppercase if record.has(letter)}
    answers = (
        (_chosen(record, options),)
        if {"A", "B"} <= options.keys()
        else record.texts("answer") or (record.text("answer"),)
    )
    return Sample(
        id=record.text("index"),
        benchmark="",
        split=record.optional("split"),
        question=record.text("question"),
        answer=majority(answers),
        answers=answers,
        image=image,
        image_id=image_id(image),
        choices=tuple(options.values()),
    )


def _chosen(record: Record, options: Mapping[str, str]) -> str:
    answer = record.text("answer")
    if answer in options:
        return options[answer]
    if answer in options.values():
        return answer
    raise record.error(f"'answer' must be one of the options {', '.join(options)}; found {answer!r}")


VLMEVALKIT = Format("vlmevalkit: 'index', 'question', 'answer' and 'image' or 'image_path'", _matches, _rows)
