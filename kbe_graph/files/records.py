"""Files as records: JSON, JSONL, CSV, TSV, Parquet and workbooks, gzipped or not, recognised by content; and shards."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import partial
from glob import glob, has_magic
from itertools import chain, islice, product
from pathlib import Path
from typing import Any, Literal

from kbe_graph.errors import DatasetError, InputError, KbeError
from kbe_graph.files.image import IMAGE_ENDINGS, ending_of
from kbe_graph.files.opening import (
    MOST_CELLS,
    MOST_RECORD,
    MOST_ROWS,
    MOST_TEXT,
    first_bytes,
    first_line,
    is_archive,
    read_members,
    text_lines,
)
from kbe_graph.files.record import (
    AS_TEXTS,
    WORKBOOK,
    BadRows,
    Record,
    class_names,
    parquet_records,
    parse_json,
    read_json,
    require_names,
    with_classes,
    workbook_records,
)
from kbe_graph.text import quoted

Container = Literal["json", "jsonl", "csv", "tsv", "parquet", "workbook", "rows"]
_SECTIONS = ("questions", "data", "images")  # the lists of a JSON object that contain records
_DELIMITERS = ("\t", ",", ";")
LOOKED = 20  # rows in which questions and pictures are looked for
_MARKED = 64  # bytes at the beginning of a file that tell text from an archive, a database or UTF-16
HEADLESS = ("image", "question", "answer")  # the columns of a table without a header, as in MME
_ENDINGS = (".parquet", ".jsonl", ".tsv", ".csv", ".json")  # the first extension with files in the folder is read
_NUMBERS = re.compile(r"[-_]?\d+(?:[-_]of[-_]\d+)?(?:[-_][0-9a-f]{12,})?$")  # as in train-00000-of-00004-0a1b2c3d4e5f


@dataclass(frozen=True, slots=True)
class RecordSource:
    """A file of records: its container, the fields of its first record, and the records.

    Each call of ``records`` begins anew. ``head`` has the other members of a JSON object with ``questions``.
    """

    file: Path
    container: Container
    fields: tuple[str, ...]
    records: Callable[[], Iterator[Record]]
    head: Mapping[str, Any] = field(default_factory=dict)


def open_source(file: Path, most_rows: int = MOST_ROWS, bad: BadRows | None = None) -> RecordSource:
    """Open a file as a source of records; its content determines the container.

    A record that cannot be read is an error, or left out by ``bad``. Raises DatasetError, also for a file without
    records. Reading raises it for more rows or cells than are read.
    """
    container = _container(file)
    if container == "json":
        return _document(file, bad)
    read = _READERS.get(container, _table)
    return _source(file, container, lambda: read(file), most_rows=most_rows, bad=bad)


def _source(
    place: Path,
    container: Container,
    read: Callable[[], Iterator[Record]],
    head: Mapping[str, Any] | None = None,
    *,
    most_rows: int = MOST_ROWS,
    bad: BadRows | None = None,
) -> RecordSource:
    sound = partial(_sound, read, bad or BadRows())
    first = next(sound(), None)
    if first is None:
        raise DatasetError(place, "contains no records; give a file with rows")

    def bounded() -> Iterator[Record]:
        cells = 0
        for number, record in enumerate(sound(), 1):
            cells += len(record.fields)
            if number > most_rows:
                raise DatasetError(place, f"has more than {most_rows:,} rows, the limit; split it")
            if cells > MOST_CELLS * max(1, most_rows // MOST_ROWS):
                raise DatasetError(place, f"has more than {MOST_CELLS:,} cells, the limit; split it")
            yield record

    return RecordSource(place, container, tuple(first.fields), bounded, head or {})


def _sound(read: Callable[[], Iterator[Record]], bad: BadRows) -> Iterator[Record]:
    for record in read():
        if record.fault is None:
            yield record
        else:
            with bad:
                raise record.fault


def _container(file: Path) -> Container:
    head = first_bytes(file)
    if ending_of(head) and b"\0" in head:
        raise DatasetError(file, "is a picture; give its folder, or a table of questions about pictures")
    if head.startswith(b"PAR1"):
        return "parquet"
    if is_archive(head):
        if WORKBOOK in (names := read_members(file)):
            return "workbook"
        raise DatasetError(file, f"a zip archive that contains {quoted(names, 5)}; give the file inside it")
    if b"\0" in head[:_MARKED]:
        raise DatasetError(file, "is neither text in UTF-8 nor Parquet or .xlsx; save it as one of these")
    first = first_line(head)
    if not first:
        raise DatasetError(file, "is empty; give a file with rows")
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
    listed = any(_is_listed(value, name) for name in (*_SECTIONS, "annotations"))
    return not ((listed and "question" not in value) or _is_by_id(value))


def _is_listed(value: Mapping[str, Any], section: str) -> bool:
    """Return True if a member of an object lists records; pictures list some if one has a list itself."""
    listed = value.get(section)
    if section != "images" or not isinstance(listed, list):
        return isinstance(listed, list)
    return any(isinstance(cell, list) for each in listed[:1] if isinstance(each, dict) for cell in each.values())


def _is_by_id(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(isinstance(each, dict) for each in value.values())


def _document(file: Path, bad: BadRows | None) -> RecordSource:
    value = read_json(file, as_texts=True)
    if isinstance(value, list):
        return _listed_source(file, value, {}, bad=bad)
    for section in _SECTIONS:
        if _is_listed(value, section):
            return _listed_source(file, value[section], value, bad=bad)
    if "annotations" not in value and _is_by_id(value):
        records = [Record(file, {"id": key, **row}, item=f"item {quoted([key])}") for key, row in value.items()]
        return _source(file, "json", lambda: iter(records))
    raise DatasetError(
        file,
        "neither a list of questions, nor an object with 'questions', nor one object per question; found "
        f"{quoted(value)}",
    )


def section_source(file: Path, section: str, *, each: str = "item") -> RecordSource:
    """Open a named list in a JSON object as a source; ``each`` names an element in messages.

    ``head`` has the other members, with lists emptied. Raises DatasetError, also if there is no such list.
    """
    value = read_json(file, as_texts=True)
    elements = value.get(section) if isinstance(value, dict) else None
    if not isinstance(elements, list):
        raise DatasetError(file, f"no list {section!r} of objects; give the official file")
    return _listed_source(file, elements, value, each)


def _listed_source(
    file: Path, elements: list[Any], document: Mapping[str, Any], each: str = "item", bad: BadRows | None = None
) -> RecordSource:
    head = {name: [] if isinstance(member, list) else member for name, member in document.items()}

    def read() -> Iterator[Record]:
        return (_record(file, value, item=f"{each} {number}") for number, value in enumerate(elements, 1))

    return _source(file, "json", read, head, bad=bad)


def _record(file: Path, value: Any, *, line: int | None = None, item: str = "") -> Record:
    if isinstance(value, dict):
        return Record(file, value, line, item)
    empty = Record(file, {}, line, item)
    return replace(empty, fault=empty.error(f"expected an object; found {str(value)[:60]!r}"))


def _jsonl(file: Path) -> Iterator[Record]:
    for number, text in text_lines(file):
        if text.strip():
            try:
                record = _record(file, parse_json(file, text, line=number, as_texts=True), line=number)
            except DatasetError as error:
                record = Record(file, {}, number, fault=error)
            yield record


def _delimiter(header: str) -> str:
    return max(_DELIMITERS, key=header.count)


def _table(file: Path) -> Iterator[Record]:
    rows = _rows(file, _delimiter(first_line(first_bytes(file))))
    header = [name.strip() for name in next(rows)[1]]
    if len(header) == 2 and header[0].lower() == "sep=":  # Excel's line about the delimiter
        header = [name.strip() for name in next(rows, (2, [""]))[1]]
    if len(header) == len(HEADLESS) and header[0].lower().endswith(tuple(IMAGE_ENDINGS)) and "?" in header[1]:
        rows, header = chain([(1, header)], rows), list(HEADLESS)
    require_names(file, header, line=1)
    for line, row in rows:
        record = Record(file, dict(zip(header, row, strict=False)), line)
        if len(row) != len(header):
            problem = f"{len(row)} cells where the header has {len(header)}; quote cells that hold a delimiter"
            record = Record(file, {}, line, fault=record.error(problem))
        yield record


def _rows(file: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
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
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise DatasetError(file, f"not a table row ({error}); double the quotes in quoted cells", line=line) from None


_READERS: Mapping[Container, Callable[[Path], Iterator[Record]]] = {
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


def row_source(rows: object, bad: BadRows | None = None) -> RecordSource:
    """Open rows in memory as a source, named by their type instead of a file; raises InputError and DatasetError.

    Each row is a mapping of columns to values. Codes of classes are replaced by the names that the rows' features give
    them. Values of numpy, pandas and Pillow are converted to those of a file.

    >>> row_source([{"question": "What is this?", "answer": "a bicycle"}]).fields
    ('question', 'answer')
    """
    place = Path(type(rows).__name__)
    if isinstance(rows, Mapping):
        raise InputError(f"{place} holds {quoted(rows)}; give one of them, or a list of dictionaries")
    classes = class_names(getattr(rows, "features", None))
    records = rows.to_dict("records") if hasattr(rows, "columns") and hasattr(rows, "to_dict") else rows
    if not (isinstance(records, Iterable) and isinstance(records, Sized)):
        raise InputError(f"rows of type {str(place)!r} cannot be read; give a file, or a list of dictionaries")

    def read() -> Iterator[Record]:
        read = (_row_record(row, Record(place, {}, item=f"row {number}")) for number, row in enumerate(records, 1))
        return (replace(record, fields=with_classes(record.fields, classes)) for record in read)

    return _source(place, "rows", read, bad=bad)


def _row_record(row: object, empty: Record) -> Record:
    if not isinstance(row, Mapping):
        return replace(empty, fault=empty.error(f"expected a mapping of columns; found {str(row)[:60]!r}"))
    try:
        return Record(empty.file, {str(name): _plain(value) for name, value in row.items()}, item=empty.item)
    except OSError as error:
        return replace(empty, fault=empty.error(f"contains an image that cannot be read ({error})"))


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


def data_files(place: Path) -> tuple[Path, ...]:
    """Return the files that a path stands for: itself, the shards in or below a folder, or the matches of a pattern.

    The names of the files in a folder must show that they are shards of one set. Raises DatasetError.
    """
    if place.is_dir():
        return _of_folder(place)
    if not place.exists() and has_magic(str(place)):
        files = tuple(Path(name) for name in sorted(glob(str(place), recursive=True)) if Path(name).is_file())  # noqa: PTH207
        if not files:
            raise DatasetError(place, "no file matches the pattern; check it")
        return files
    return (place,)


def has_data_files(folder: Path) -> bool:
    """Return True if a file in or below the folder has the ending of a data file."""
    return any(path.name.removesuffix(".gz").endswith(_ENDINGS) for path in visible_files(folder))


def visible_files(folder: Path) -> list[Path]:
    """List the files in or below a folder, sorted, but those whose names begin with a dot."""
    return [path for path in sorted(folder.rglob("*")) if not path.name.startswith(".") and path.is_file()]


def set_name(files: Sequence[Path]) -> str:
    """Return the common name of files: the stem of a single file, or the first file's stem without its shard number."""
    stem = files[0].name.split(".")[0]
    return stem if len(files) == 1 else _NUMBERS.sub("", stem) or files[0].parent.name


def open_shards(files: Sequence[Path], bad: BadRows | None = None) -> RecordSource:
    """Open files as one source, in order; all need the container and, for tables, the columns of the first.

    Raises DatasetError; the limit on rows applies to all files together.
    """
    first = open_source(files[0], bad=bad)
    if len(files) == 1:
        return first
    sources = [first, *(open_source(file, bad=bad) for file in files[1:])]
    for source in sources:
        if source.container != first.container:
            raise DatasetError(source.file, f"is {source.container}, and {first.file.name!r} is {first.container}")
        if source.container not in {"json", "jsonl"} and set(source.fields) != set(first.fields):
            other = sorted(set(source.fields) ^ set(first.fields))
            raise DatasetError(source.file, f"does not have the columns of {first.file.name!r}: {quoted(other)} differ")

    every = _source(
        first.file, first.container, lambda: chain.from_iterable(source.records() for source in sources), first.head
    )
    return replace(first, records=every.records)


def _of_folder(folder: Path) -> tuple[Path, ...]:
    sets: dict[tuple[str, str], list[Path]] = {}  # by ending and name
    for ending, path in product(_ENDINGS, visible_files(folder)):
        if path.name.removesuffix(".gz").endswith(ending):
            sets.setdefault((ending, set_name((path, path))), []).append(path)
    if not sets:
        raise DatasetError(folder, f"contains no data file ({', '.join(_ENDINGS)}); check the folder")
    first, name = next(iter(sets))
    several = [
        files[0] if len(files) == 1 else files[0].parent / f"{other}*{ending}"
        for (ending, other), files in sets.items()
        if ending == first or (other != name and _has_questions(files[0]))
    ]
    if len(several) > 1:
        names = quoted(str(place.relative_to(folder)) for place in several)
        raise DatasetError(folder, f"contains several data sets, {names}; name one, such as '{several[0]}'")
    return tuple(sets[first, name])


def asks(cell: object) -> bool:
    """Return True if a cell holds a question."""
    return str(cell).rstrip().endswith(("?", "？"))


def _has_questions(file: Path) -> bool:
    """Return True if the first rows of a file hold a question."""
    try:
        rows = [*islice(open_source(file).records(), LOOKED)]
    except KbeError:
        return False
    return any(asks(cell) for row in rows for cell in row.fields.values())
