"""Caption files: COCO captions (Chen et al. 2015), or lines of image id, tab, list of captions."""

from collections.abc import Iterator
from pathlib import Path

from kbe_graph.datasets.view import KeyedView, View, first_mark, image_lines
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.opening import text_lines
from kbe_graph.files.record import Record
from kbe_graph.files.stream import json_records


def read_captions(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Return each wanted caption as a view that is still to be parsed, its words the evidence; raises DatasetError."""
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
    for item, record in json_records(file):
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
