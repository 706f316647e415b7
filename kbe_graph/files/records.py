"""A file as records: gzip, JSON, JSONL, CSV, TSV and Parquet, told apart by their content."""

import csv
import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, cast

from kbe_graph.errors import DatasetError
from kbe_graph.files.record import Record

Container = Literal["json", "jsonl", "csv", "tsv", "parquet"]
_CELL = 2**31 - 1  # an image in base64 is far above csv's own limit of 128 KiB
_DELIMITERS = ("\t", ",", ";")
_BARE_CR = re.compile(r"(?<=\r)(?=[^\n])")


@dataclass(frozen=True, slots=True)
class RecordSource:
    """A file of records: its container, the fields of its first record, and the records.

    ``records`` reads them afresh at each call. ``head`` holds the other parts of a JSON object with ``questions``.
    """

    file: Path
    container: Container
    fields: tuple[str, ...]
    records: Callable[[], Iterator[Record]]
    head: Mapping[str, Any] = field(default_factory=dict)


def open_source(file: Path) -> RecordSource:
    """Return the file as a source; its content says which container it is. Raises DatasetError, also for no records."""
    container = _container(file)
    if container == "json":
        records, head = _document_records(file)
        return RecordSource(file, container, _fields(file, iter(records)), lambda: iter(records), head)
    read = {"jsonl": _jsonl, "parquet": _parquet}.get(container, _table)
    return RecordSource(file, container, _fields(file, read(file)), lambda: read(file))


def _fields(file: Path, records: Iterator[Record]) -> tuple[str, ...]:
    first = next(records, None)
    if first is None:
        raise DatasetError(file, "holds no records; give a file with questions")
    return tuple(first.fields)


def read_document(file: Path) -> Any:
    """Return the one JSON value a file holds, every number as text (as it is written); raises DatasetError."""
    return _parse("".join(text for _, text in text_lines(file)), file)


@contextmanager
def open_bytes(file: Path) -> Iterator[IO[bytes]]:
    """Open a file for its bytes, unpacked where it is gzip; raises DatasetError where it cannot be read."""
    try:
        with file.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            with gzip.open(raw) if packed else raw as stream:
                yield cast("IO[bytes]", stream)
    except FileNotFoundError:
        raise DatasetError(file, "no such file; check the path") from None
    except IsADirectoryError:
        raise DatasetError(file, "is a folder; give the file in it") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DatasetError(file, f"broken gzip ({error}); fetch the file again") from None
    except OSError as error:
        raise DatasetError(file, f"cannot be read ({error.strerror or error})") from None


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file's bytes as they lie on the disk, read a chunk at a time; raises OSError."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def text_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Return the lines of a file with their numbers, each ended by LF, CRLF or CR.

    Raises DatasetError where they are not UTF-8.
    """
    with open_bytes(file) as stream:
        number = 1
        for line in stream:
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problem = f"not UTF-8 text ({error.reason} at byte {error.start + 1}); save the file as UTF-8"
                raise DatasetError(file, problem, line=number) from None
            parts = _BARE_CR.split(text)
            yield from enumerate(parts, number)
            number += len(parts)


def json_fault(error: json.JSONDecodeError) -> str:
    """Return what is wrong in a JSON text, to be followed by the place."""
    return error.msg.removesuffix(" at")


def _container(file: Path) -> Container:
    with open_bytes(file) as stream:
        if stream.read(4) == b"PAR1":
            return "parquet"
    with closing(cast("Any", text_lines(file))) as lines:
        first = next((text.strip("\r\n ") for _, text in lines if text.strip()), "")
    if not first:
        raise DatasetError(file, "is empty; give a file with questions")
    if first.startswith("{"):
        return "jsonl" if ".jsonl" in file.suffixes or _is_record(first) else "json"
    if first.startswith("["):
        return "json"
    return "tsv" if _delimiter(first) == "\t" else "csv"


def _is_record(line: str) -> bool:
    try:
        value = json.loads(line, parse_int=str)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not _holds_records(value)


def _holds_records(value: Mapping[str, Any]) -> bool:
    listed = any(isinstance(value.get(name), list) for name in ("questions", "annotations"))
    return (listed and "question" not in value) or (bool(value) and all(isinstance(v, dict) for v in value.values()))


def _parse(text: str, file: Path, line: int = 1) -> Any:
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        problem = f"not JSON ({json_fault(error)} at column {error.colno}); mend or delete it"
        raise DatasetError(file, problem, line=line + error.lineno - 1) from None
    except RecursionError:
        raise DatasetError(file, "not JSON that can be read (nested too deep); mend or delete it", line=line) from None


def _document_records(file: Path) -> tuple[list[Record], Mapping[str, Any]]:
    value = read_document(file)
    if isinstance(value, dict) and isinstance(value.get("questions"), list):
        head = {name: part for name, part in value.items() if name != "questions"}
        return _numbered_records(file, value["questions"]), head
    if isinstance(value, list):
        return _numbered_records(file, value), {}
    if isinstance(value, dict) and "annotations" not in value and _holds_records(value):
        return [_record(file, {"id": name, **item}, item=f"item {name!r}") for name, item in value.items()], {}
    content = ", ".join(map(repr, value)) if isinstance(value, dict) else type(value).__name__
    raise DatasetError(file, f"neither a list of questions, nor 'questions', nor an object a question; found {content}")


def _numbered_records(file: Path, items: list[Any]) -> list[Record]:
    return [_record(file, item, item=f"item {number}") for number, item in enumerate(items, 1)]


def _record(file: Path, value: Any, *, line: int | None = None, item: str = "") -> Record:
    if isinstance(value, dict):
        return Record(file, value, line, item)
    raise Record(file, {}, line, item).error(f"an object was expected; found {str(value)[:60]!r}")


def _jsonl(file: Path) -> Iterator[Record]:
    for number, text in text_lines(file):
        if text.strip():
            yield _record(file, _parse(text, file, number), line=number)


def _delimiter(header: str) -> str:
    return max(_DELIMITERS, key=header.count)


def _table(file: Path) -> Iterator[Record]:
    csv.field_size_limit(_CELL)
    with closing(cast("Any", text_lines(file))) as lines:
        head = next(text for _, text in lines if text.strip())
    rows = _rows(file, _delimiter(head))
    header = [name.strip() for name in next(rows)[1]]
    if len(set(header)) < len(header):
        raise DatasetError(file, f"two columns of one name in the header {header!r}; rename one", line=1)
    for line, row in rows:
        record = Record(file, dict(zip(header, row, strict=False)), line)
        if len(row) != len(header):
            raise record.error(
                f"{len(row)} cells where the header has {len(header)}; quote cells that hold a delimiter"
            )
        yield record


def _rows(file: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((text for _, text in text_lines(file)), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise DatasetError(file, f"not a table row ({error}); double the quotes in quoted cells", line=line) from None


def _parquet(file: Path) -> Iterator[Record]:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    with open_bytes(file) as stream:
        try:
            batches = ParquetFile(stream).iter_batches(batch_size=64)
            rows = (row for batch in batches for row in batch.to_pylist())
            for number, row in enumerate(rows, 1):
                yield Record(file, row, item=f"row {number}")
        except ArrowException as error:
            raise DatasetError(file, f"broken Parquet ({error}); fetch the file again") from None
