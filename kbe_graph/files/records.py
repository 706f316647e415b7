"""Reading of files as records: JSON, JSONL, CSV, TSV, Parquet and workbooks, gzipped or not, recognised by content."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.opening import BOUNDS, MOST_RECORD, Bounds, Tally, first_bytes, first_line, has_more, text_lines
from kbe_graph.files.parquet import parquet_records
from kbe_graph.files.record import MOST_TEXT, Record
from kbe_graph.files.stream import AS_TEXTS, Item, json_fault, json_items
from kbe_graph.files.workbook import WORKBOOK, workbook_records
from kbe_graph.files.zip_archive import is_archive, member_names
from kbe_graph.text import quoted

Container = Literal["json", "jsonl", "csv", "tsv", "parquet", "workbook", "rows"]
_SECTIONS = ("questions", "data")  # the lists of a JSON object that contain records
_DELIMITERS = ("\t", ",", ";")


@dataclass(frozen=True, slots=True)
class RecordSource:
    """A file of records: its container, the fields of its first record, and the records.

    Each call of ``records`` reads the file again. ``head`` has the other members of a JSON object with ``questions``.
    """

    file: Path
    container: Container
    fields: tuple[str, ...]
    records: Callable[[], Iterator[Record]]
    head: Mapping[str, Any] = field(default_factory=dict)


def open_source(file: Path, bounds: Bounds = BOUNDS) -> RecordSource:
    """Open a file as a source of records; its content determines the container.

    Raises DatasetError, also for a file without records. Reading the records raises it beyond ``bounds``.
    """
    container = _container(file)
    if container == "json":
        return _document(file, bounds)
    if container not in {"parquet", "workbook"} and has_more(file, b"\n", bounds.rows):
        _require_rows(file, container, bounds)
    read = _READERS.get(container, _table)
    return RecordSource(file, container, _fields(file, read(file, bounds)), lambda: read(file, bounds))


def _require_rows(file: Path, container: Container, bounds: Bounds) -> None:
    tally = Tally(file, bounds)
    if container == "jsonl":
        tally.add(0, bounds.rows + 1)
    for _ in _rows(file, _delimiter(first_line(first_bytes(file))), tally):
        pass


def _fields(file: Path, records: Iterator[Record]) -> tuple[str, ...]:
    first = next(records, None)
    if first is None:
        raise no_records(file)
    return tuple(first.fields)


def no_records(file: Path) -> DatasetError:
    """Build the error for a source without records."""
    return DatasetError(file, "contains no records; give a file with questions")


def _container(file: Path) -> Container:
    head = first_bytes(file)
    if head.startswith(b"PAR1"):
        return "parquet"
    if is_archive(head):
        if WORKBOOK in (names := member_names(file)):
            return "workbook"
        raise DatasetError(file, f"a zip archive that contains {quoted(names, 5)}; give the file inside it")
    first = first_line(head)
    if not first:
        raise DatasetError(file, "is empty; give a file with questions")
    if first.startswith("{"):
        return "jsonl" if ".jsonl" in file.suffixes or _is_record(first) else "json"
    if first.startswith("["):
        return "json"
    return "tsv" if _delimiter(first) == "\t" else "csv"


def _is_record(line: str) -> bool:
    try:
        value = AS_TEXTS.decode(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not _holds_records(value)


def _holds_records(value: Mapping[str, Any]) -> bool:
    listed = any(isinstance(value.get(name), list) for name in (*_SECTIONS, "annotations"))
    return (listed and "question" not in value) or _is_by_id(value)


def _is_by_id(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(isinstance(each, dict) for each in value.values())


def _document(file: Path, bounds: Bounds) -> RecordSource:
    first = next(json_items(file, AS_TEXTS), None)
    if first is None:
        raise no_records(file)
    if first.listed and not first.section:
        return section_source(file, "", bounds)
    for section in _SECTIONS:
        source = section_source(file, section, bounds)
        if source.head.get(section) == []:
            raise no_records(file)
        if source.fields:
            return source
    if "annotations" not in source.head and _is_by_id(source.head):
        return RecordSource(file, "json", ("id", *first.value), lambda: _by_id(file, bounds))
    raise DatasetError(
        file,
        (
            "neither a list of questions, nor an object with 'questions', nor one object per question; found "
            f"{quoted(source.head)}"
        ),
    )


def section_source(file: Path, section: str, bounds: Bounds = BOUNDS, *, each: str = "item") -> RecordSource:
    """Open a named list in a JSON object as a source; an empty name means that the file is the list.

    ``head`` has the other members, with lists emptied. ``fields`` are empty if the list is missing or empty. ``each``
    names an element in messages. Raises DatasetError.
    """
    fields: tuple[str, ...] | None = None
    head: dict[str, Any] = {}
    elements, members = Tally(file, bounds), Tally(file, bounds)
    is_long = not section and has_more(file, b"{", bounds.rows)
    for item in json_items(file, AS_TEXTS):
        (elements if item.listed else members).add(1)
        if not item.listed:
            head[item.key] = item.value
        elif item.section != section:
            head.setdefault(item.section, [])
        elif fields is None:
            fields = tuple(_element(file, item, each).fields)
        if not section and not is_long:  # the file is a list, and too short to need counting
            break
    return RecordSource(file, "json", fields or (), lambda: _section(file, section, bounds, each), head)


def _section(file: Path, section: str, bounds: Bounds, each: str) -> Iterator[Record]:
    tally = Tally(file, bounds)
    for item in json_items(file, AS_TEXTS):
        if item.listed and item.section == section:
            record = _element(file, item, each)
            tally.add(len(record.fields))
            yield record


def _element(file: Path, item: Item, each: str) -> Record:
    return _record(file, item.value, item=f"{each} {item.key}")


def _by_id(file: Path, bounds: Bounds) -> Iterator[Record]:
    tally = Tally(file, bounds)
    for item in json_items(file, AS_TEXTS):
        tally.add(len(item.value))
        yield Record(file, {"id": item.key, **item.value}, item=f"item {quoted([item.key])}")


def _record(file: Path, value: Any, *, line: int | None = None, item: str = "") -> Record:
    if isinstance(value, dict):
        return Record(file, value, line, item)
    raise Record(file, {}, line, item).error(f"expected an object; found {str(value)[:60]!r}")


def _jsonl(file: Path, bounds: Bounds) -> Iterator[Record]:
    tally = Tally(file, bounds)
    for number, text in text_lines(file):
        record = _record(file, _parse(text, file, number), line=number) if text.strip() else None
        tally.add(len(record.fields) if record else 0)
        if record:
            yield record


def _parse(text: str, file: Path, line: int) -> Any:
    try:
        return AS_TEXTS.decode(text)
    except json.JSONDecodeError as error:
        problem = f"not JSON ({json_fault(error)} at column {error.colno}); fix or delete it"
        raise DatasetError(file, problem, line=line + error.lineno - 1) from None
    except RecursionError:
        raise DatasetError(file, "not JSON that can be read (nested too deep); fix or delete it", line=line) from None


def _delimiter(header: str) -> str:
    return max(_DELIMITERS, key=header.count)


def _table(file: Path, bounds: Bounds) -> Iterator[Record]:
    rows = _rows(file, _delimiter(first_line(first_bytes(file))), Tally(file, bounds))
    header = [name.strip() for name in next(rows)[1]]
    if len(set(header)) < len(header):
        raise DatasetError(file, f"two columns have the same name: {quoted(header)}; rename one", line=1)
    for line, row in rows:
        record = Record(file, dict(zip(header, row, strict=False)), line)
        if len(row) != len(header):
            raise record.error(
                f"{len(row)} cells where the header has {len(header)}; quote cells that hold a delimiter"
            )
        yield record


def _rows(file: Path, delimiter: str, tally: Tally) -> Iterator[tuple[int, list[str]]]:
    line = 1

    def lines() -> Iterator[str]:
        for number, text in text_lines(file):
            if number - line > MOST_TEXT:
                raise DatasetError(file, f"a quote is open for more than {MOST_TEXT:,} lines; close it", line=line)
            yield text

    csv.field_size_limit(MOST_RECORD)  # an image in base64 is far larger than csv's default limit of 128 KiB
    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            tally.add(len(row))
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise DatasetError(file, f"not a table row ({error}); double the quotes in quoted cells", line=line) from None


_READERS: Mapping[Container, Callable[[Path, Bounds], Iterator[Record]]] = {
    "jsonl": _jsonl,
    "parquet": parquet_records,
    "workbook": workbook_records,
}


def read_rows(file: Path, required: Sequence[str]) -> Iterator[Record]:
    """Yield the rows of a table; raises DatasetError before the first row if a ``required`` column is missing."""
    source = open_source(file)
    if missing := [column for column in required if column not in source.fields]:
        raise DatasetError(file, f"no {missing[0]!r} column; found {quoted(source.fields)}", line=1)
    yield from source.records()


_MISSING = {"NAType", "NaTType"}
_OF_PNG = {"1", "L", "LA", "P", "RGB", "RGBA", "I;16"}


def row_source(rows: object, bounds: Bounds = BOUNDS) -> RecordSource:
    """Open rows in memory as a source, named by their type instead of a file; raises InputError and DatasetError.

    Each row is a mapping of columns to values. Values of numpy, pandas and Pillow are converted to those of a file.

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
            record = _row_record(row, Record(place, {}, item=f"row {number}"))
            tally.add(len(record.fields))
            yield record

    first = next(read(), None)
    if first is None:
        raise no_records(place)
    return RecordSource(place, "rows", tuple(first.fields), read)


def _row_record(row: object, empty: Record) -> Record:
    if not isinstance(row, Mapping):
        raise empty.error(f"expected a mapping of columns; found {str(row)[:60]!r}")
    try:
        return Record(empty.file, {str(name): _plain(value) for name, value in row.items()}, item=empty.item)
    except OSError as error:
        raise empty.error(f"contains an image that cannot be read ({error})") from None


def _plain(value: Any) -> Any:
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
    stream = io.BytesIO()
    (picture if picture.mode in _OF_PNG else picture.convert("RGB")).save(stream, "PNG")
    return stream.getvalue()
