"""Annotations in words: captions, and detected labels, by image or question id."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from kbe_graph.datasets.view import KeyedView, Thing, View, first_mark, image_lines
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.json_files import json_items, json_records
from kbe_graph.files.opening import text_lines
from kbe_graph.files.record import Record
from kbe_graph.text import quoted


def read_captions(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Yield each wanted caption as an unparsed view, with its words as evidence; raises DatasetError."""
    captions = _coco(file, wanted) if first_mark(file) in "[{" else _lines(file, wanted)
    for key, ref, record in captions:
        yield KeyedView(key, View("caption", f"{file.name}#{ref}", evidence=_caption(record)))


def _caption(record: Record) -> str:
    if not isinstance(record.fields["caption"], str):
        raise record.error(f"'caption' must be text; found {str(record.fields['caption'])[:60]!r}")
    caption = record.text("caption")
    record.refuse_long("caption", [caption])
    return caption


def _coco(file: Path, wanted: set[str] | None) -> Iterator[tuple[str, str, Record]]:
    count = 0
    for item, record in json_records(file, "annotations"):
        if item.section == "annotations" or (item.listed and not item.section):
            count += 1
            _require_caption(record)
            key = image_id(record.text("image_id"))
            if wanted is None or key in wanted:
                yield key, record.optional("id") or key, record
    if not count:
        raise DatasetError(file, "holds no captions; give COCO's captions, or lines of id, tab, list of captions")


def _require_caption(record: Record) -> None:
    if "caption" not in record.fields:
        raise record.error("no 'caption' field; give COCO's captions, or lines of id, tab, list of captions")


def _lines(file: Path, wanted: set[str] | None) -> Iterator[tuple[str, str, Record]]:
    for key, rows in image_lines(text_lines(file), file, wanted):
        for row in rows:
            _require_caption(row)
            yield key, key, row


_LOOKED_FOR = "looked for an object with 'detections' by id, or lines of id, tab, list of 'class' and 'conf'"


def read_detections(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Yield a view of each wanted image or question, with its labels in file order; raises DatasetError."""
    detections = _members(file, wanted) if first_mark(file) in "[{" else _label_lines(file, wanted)
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
        raise record.error(
            f"{field!r} holds {label!r} where a label must be a word; give the names of the detected things"
        )
    return label


def _label_lines(file: Path, wanted: set[str] | None) -> Iterator[tuple[str, Sequence[str], str]]:
    for key, rows in image_lines(text_lines(file), file, wanted):
        yield key, [_word(row, "class", row.text("class")) for row in rows], ""
