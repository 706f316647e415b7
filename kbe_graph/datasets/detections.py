"""Detected labels: an object by image or question id, or a TSV with one image a line."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from kbe_graph.datasets.view import KeyedView, Thing, View, first_mark, image_lines
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.opening import text_lines
from kbe_graph.files.record import Record
from kbe_graph.files.stream import json_items
from kbe_graph.text import quoted

_LOOKED_FOR = "looked for an object with 'detections' by id, or lines of id, tab, list of 'class' and 'conf'"


def read_detections(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Return a view of each wanted image or question, its labels in the order of the file; raises DatasetError."""
    detections = _members(file, wanted) if first_mark(file) in "[{" else _lines(file, wanted)
    for key, labels, question in detections:
        things = tuple(Thing(label, label) for label in dict.fromkeys(labels))
        yield KeyedView(key, View("detection", f"{file.name}#{key}", things, question=question))


def _members(file: Path, wanted: set[str] | None) -> Iterator[tuple[str, Sequence[str], str]]:
    for item in json_items(file):
        fields = item.value if isinstance(item.value, dict) else {}
        if item.listed or "detections" not in fields:
            raise DatasetError(file, f"item {quoted([item.key])}: no 'detections' field; {_LOOKED_FOR}")
        if wanted is None or image_id(item.key) in wanted:
            record = Record(file, fields, item=f"item {quoted([item.key])}")
            yield image_id(item.key), _labels(record), record.optional("question")


def _labels(record: Record) -> Sequence[str]:
    labels = record.fields["detections"]
    if not (isinstance(labels, list) and all(isinstance(label, str) for label in labels)):
        raise record.error(f"'detections' must be a list of texts; found {str(labels)[:60]!r}")
    return [_word(record, "detections", label) for label in record.texts("detections")]


def _word(record: Record, field: str, label: str) -> str:
    if not any(sign.isalpha() for sign in label):
        raise record.error(f"{field!r} holds {label!r} where a label must be a word; give the names of what was seen")
    return label


def _lines(file: Path, wanted: set[str] | None) -> Iterator[tuple[str, Sequence[str], str]]:
    for key, rows in image_lines(text_lines(file), file, wanted):
        yield key, [_word(row, "class", row.text("class")) for row in rows], ""
