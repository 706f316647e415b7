"""Rows in memory as records: a list of dictionaries, a pandas DataFrame, a ``datasets.Dataset``."""

import io
from collections.abc import Iterable, Iterator, Mapping, Sized
from pathlib import Path
from typing import Any

from kbe_graph.errors import InputError
from kbe_graph.files.opening import BOUNDS, Bounds, Tally
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource, no_records
from kbe_graph.text import quoted

_MISSING = {"NAType", "NaTType"}
_OF_PNG = {"1", "L", "LA", "P", "RGB", "RGBA", "I;16"}


def row_source(rows: object, bounds: Bounds = BOUNDS) -> RecordSource:
    """Read rows as a source of records, which names their type in place of a file; raises InputError and DatasetError.

    Each row is a mapping of column to value. Values of numpy, pandas and Pillow become what a file would hold.

    >>> row_source([{"question": "What is this?", "answer": "a bicycle"}]).fields
    ('question', 'answer')
    """
    place = Path(type(rows).__name__)
    if isinstance(rows, Mapping):
        raise InputError(f"{place} holds {quoted(rows)}; give one of them, or a list of dictionaries")
    records = rows.to_dict("records") if hasattr(rows, "columns") and hasattr(rows, "to_dict") else rows
    if not (isinstance(records, Iterable) and isinstance(records, Sized)):
        raise InputError(f"rows of type {str(place)!r} cannot be read; give a file, or a list of dictionaries")

    def read() -> Iterator[Record]:
        tally = Tally(place, bounds)
        for number, row in enumerate(records, 1):
            record = _record(row, Record(place, {}, item=f"row {number}"))
            tally.add(len(record.fields))
            yield record

    first = next(read(), None)
    if first is None:
        raise no_records(place)
    return RecordSource(place, "rows", tuple(first.fields), read)


def _record(row: object, empty: Record) -> Record:
    if not isinstance(row, Mapping):
        raise empty.error(f"a mapping of columns was expected; found {str(row)[:60]!r}")
    try:
        return Record(empty.file, {str(name): _plain(value) for name, value in row.items()}, item=empty.item)
    except OSError as error:
        raise empty.error(f"holds an image that cannot be read ({error})") from None


def _plain(value: Any) -> Any:
    """Turn a value of numpy, pandas or Pillow into one that a file would hold."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if hasattr(value, "save") and hasattr(value, "convert"):
        return _png(value)
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if type(value).__name__ in _MISSING else value


def _png(picture: Any) -> bytes:
    """Write a picture of Pillow as PNG, which loses nothing."""
    stream = io.BytesIO()
    (picture if picture.mode in _OF_PNG else picture.convert("RGB")).save(stream, "PNG")
    return stream.getvalue()
