"""A record of a benchmark file, with errors that name its place; JSON documents, Parquet and workbooks as records."""

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from reprlib import Repr
from typing import Any, NamedTuple
from zipfile import BadZipFile

from kbe_graph.errors import DatasetError
from kbe_graph.extras import require_extra
from kbe_graph.files.opening import (
    MOST_DOCUMENT,
    MOST_LIST,
    MOST_TEXT,
    MOST_TEXTS,
    open_bytes,
    read_members,
    refuse_oversize,
)
from kbe_graph.text import on_one_line, quoted

_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_COMMA = re.compile(r"""(['"])\s+\1""")
_short = Repr()
_short.maxstring = _short.maxother = 60
_WEIGHTS = frozenset({"count", "weight", "score", "votes"})  # fields of an object that say how much its text counts
_EXACT = 2**53  # from here on, floats may have lost digits


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of one question and its place in the file: a line, or an item if the file has no lines (``row 3``).

    ``fault`` is set for a record that cannot be read, which has no fields.
    """

    file: Path
    fields: Mapping[str, Any]
    line: int | None = None
    item: str = ""
    fault: DatasetError | None = None

    @property
    def place(self) -> str:
        """The place in the file, for messages (``line 12``)."""
        return self.item or f"line {self.line}"

    def error(self, problem: str) -> DatasetError:
        """Build an error from the file, the place and the problem."""
        return DatasetError(f"{self.file} {self.item}" if self.item else self.file, problem, line=self.line)

    def with_objects(self, fields: Iterable[str]) -> "Record":
        """Return the record with the objects that are written as JSON in cells of these fields."""
        cells = {name: self.fields[name] for name in fields if str(self.fields.get(name, ""))[:1] == "{"}
        texts = {name: _parsed(cell) for name, cell in cells.items() if isinstance(cell, str)}
        return replace(self, fields={**self.fields, **texts}) if texts else self

    def refuse_long(self, field: str, texts: Iterable[str], most: int = MOST_TEXT) -> None:
        """Raise DatasetError if a text of the field is longer than ``most`` characters."""
        longest = max(map(len, texts), default=0)
        if longest > most:
            raise self.error(f"{field!r} has {longest:,} characters; the limit is {most:,}; shorten it")

    def has(self, field: str) -> bool:
        """Return True if a field has a value other than None, NaN, blank text or an empty list."""
        value = self.fields.get(field)
        if isinstance(value, float):
            return not math.isnan(value)
        return bool(value.strip()) if isinstance(value, str) else value is not None and value != []

    def text(self, field: str) -> str:
        """Return a required text, stripped; numbers are returned as they were written. Raises DatasetError."""
        if field not in self.fields:
            raise self.error(f"no {field!r} field; found {quoted(self.fields) or 'nothing'}")
        if not self.has(field):
            raise self.error(f"{field!r} is empty; found {_short.repr(self.fields[field])}")
        return self._plain(self.fields[field], repr(field))

    def optional(self, field: str) -> str:
        """Return an optional text, ``""`` if missing or empty; raises DatasetError if it is not text."""
        return self._plain(self.fields[field], repr(field)) if self.has(field) else ""

    def texts(self, field: str, *, blanks: bool = False, most: int | None = MOST_LIST) -> tuple[str, ...]:
        """Return a field with several texts, empty if it is missing; blank texts are kept only with ``blanks``.

        ``most`` limits the characters of a list in one cell (None: only the limit of a line).

        A list may be written in one cell (``['a', 'b']``). An object is read by its ``answer``, ``text`` or ``value``,
        also one in the list, as in the official VQA files. A single text counts as a list of one. Raises DatasetError.
        """
        value = self.fields.get(field) if self.has(field) else []
        value = inner_value(value) if isinstance(value, Mapping) else value
        values = self._listed(value, field, most) if isinstance(value, str) else value
        if not isinstance(values, list):
            raise self.error(f"{field!r} must be a list of texts; found {_short.repr(value)}")
        if len(values) > MOST_TEXTS:
            raise self.error(f"{field!r} has {len(values):,} texts; the limit is {MOST_TEXTS:,}; remove some")
        items = (item[0] if isinstance(item, list) and len(item) == 1 else item for item in values)
        texts = [self._plain(item, f"{field!r} item {number}") for number, item in enumerate(items, 1)]
        return tuple(text for text in texts if text or blanks)

    def answers(self, field: str) -> tuple[str, ...]:
        """Return the texts of several people's answers; raises DatasetError, also for answers of unequal weight."""
        value = self.fields.get(field)
        objects = [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
        if len({str(item[name]) for item in objects for name in _WEIGHTS if name in item}) > 1:
            raise self.error(f"{field!r} weighs answers: {_short.repr(objects[0])}; write each as often as it counts")
        return self.texts(field)

    def number(self, field: str, *, below: int) -> int:
        """Return a required whole number from 0 to ``below`` - 1; raises DatasetError."""
        text = self.text(field)
        if not (text.isdecimal() and len(text) <= len(str(below)) and int(text) < below):
            raise self.error(f"{field!r} must be a number from 0 to {below - 1}; found {_short.repr(text)}")
        return int(text)

    def _plain(self, value: object, name: str) -> str:
        value = inner_value(value) if isinstance(value, Mapping) else value
        if isinstance(value, float) and value.is_integer():
            if abs(value) >= _EXACT:
                raise self.error(f"{name} is the number {value!r}, which has lost its last digits; write it as text")
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value != value:  # noqa: PLR0124
            raise self.error(f"{name} must be text; found {_short.repr(value)}")
        text = str(value).strip()
        if _SURROGATE.search(text):
            raise self.error(f"{name} contains half a character (a lone surrogate): {_short.repr(text)}")
        return text

    def _listed(self, cell: str, field: str, most: int | None) -> list[Any]:
        self.refuse_long(field, [cell], len(cell) if most is None else most)
        cell = cell.strip()
        if cell.startswith("{") and cell.endswith("}"):
            raise self.error(f"{field!r} must be a list of texts; found the object {_short.repr(cell)}")
        if not (cell.startswith("[") and cell.endswith("]")):
            return [cell]
        if _NO_COMMA.search(cell):
            raise self.error(f"{field!r} is a list without commas: {_short.repr(cell)}; write it as JSON")
        try:
            values = json.loads(cell, parse_int=str, parse_float=str)
        except (ValueError, RecursionError):
            values = _literal(cell)
        return values if isinstance(values, list) else [cell]


def inner_value(value: Mapping[str, Any]) -> object:
    """Return what an object with an ``answer``, a ``text`` or a ``value`` holds; other objects as they are."""
    return next((value[name] for name in ("answer", "text", "value") if name in value), value)


def _parsed(cell: str) -> object:
    try:
        return json.loads(cell, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return _literal(cell)


def _literal(cell: str) -> object:
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return cell


WORKBOOK = "xl/workbook.xml"
"""The archive member that identifies a workbook."""

_BATCH = 64  # rows, each of which may contain an image
_ODD = (BadZipFile, EOFError, OSError, AttributeError, LookupError, SyntaxError, TypeError, ValueError)


def parquet_records(file: Path) -> Iterator[Record]:
    """Yield the rows of a Parquet table; raises DatasetError."""
    require_extra("parquet")
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    with open_bytes(file) as stream:
        try:
            table = ParquetFile(stream)
            # the metadata of single columns is not read: if it is corrupt, pyarrow crashes the process
            groups = (table.metadata.row_group(number) for number in range(table.metadata.num_row_groups))
            refuse_oversize(file, file.stat().st_size, sum(group.total_byte_size for group in groups))
            require_names(file, table.schema_arrow.names)
            info = json.loads((table.schema_arrow.metadata or {}).get(b"huggingface", b"{}")).get("info", {})
            classes = class_names(info.get("features"))
            rows = (row for batch in table.iter_batches(batch_size=_BATCH) for row in batch.to_pylist())
            for number, row in enumerate(rows, 1):
                yield Record(file, with_classes(row, classes), item=f"row {number}")
        except (ArrowException, OSError, UnicodeDecodeError) as error:
            raise DatasetError(file, f"broken Parquet ({on_one_line(str(error))}); fetch the file again") from None


def class_names(features: object) -> Mapping[str, Sequence[str]]:
    """Return the names of classes by column, from the features of a ``datasets.Dataset`` or of its Parquet files."""
    named = features.items() if isinstance(features, Mapping) else ()
    names = {
        name: each.get("names") if isinstance(each, Mapping) else getattr(each, "names", None) for name, each in named
    }
    return {name: each for name, each in names.items() if isinstance(each, list)}


def with_classes(row: Mapping[str, Any], classes: Mapping[str, Sequence[str]]) -> Mapping[str, Any]:
    """Return a row with the names of classes instead of their codes."""
    codes = {name: row.get(name) for name in classes}
    return row if not codes else {**row, **{name: _class(code, classes[name]) for name, code in codes.items()}}


def _class(code: object, names: Sequence[str]) -> object:
    return names[code] if isinstance(code, int) and 0 <= code < len(names) else None if code == -1 else code


def workbook_records(file: Path) -> Iterator[Record]:
    """Yield the non-empty rows of the first sheet; raises DatasetError, also for duplicate column names.

    A date or a truth value is refused as it is read; the result of a formula is read, and an error is an empty cell.
    """
    require_extra("excel")
    import pandas as pd

    read_members(file)  # which refuses a bomb
    try:
        with open_bytes(file) as stream:
            table = pd.read_excel(stream, header=None, dtype=object, na_filter=False, engine="openpyxl")
    except _ODD as error:
        raise DatasetError(file, f"broken workbook ({on_one_line(str(error))}); save it again as .xlsx") from None
    rows: Iterator[list[Any]] = iter(table.to_numpy().tolist())
    header = [str(cell).strip() for cell in next(rows, [])]
    require_names(file, header, line=1)
    for number, row in enumerate(rows, 2):
        fields = {name: cell for name, cell in zip(header, row, strict=True) if name}
        if any(cell != "" for cell in fields.values()):
            yield Record(file, fields, item=f"row {number}")


def require_names(file: Path, header: list[str], line: int | None = None) -> None:
    """Raise DatasetError if two columns have the same name."""
    names = [name for name in header if name]
    if len(set(names)) < len(names):
        raise DatasetError(file, f"two columns have the same name: {quoted(header)}; rename one", line=line)


AS_TEXTS = json.JSONDecoder(parse_int=str, parse_float=str)
"""Decoder that keeps every number as text, as written."""


class Item(NamedTuple):
    """A member of the file's object (``key`` is its name), or an element of the file's list or of a list in the object.

    An empty list is a member. For an element, ``section`` is the name of its list, empty if the file is the list, and
    ``key`` its number from 1.
    """

    section: str
    key: str
    value: Any
    listed: bool


def read_json(file: Path, *, as_texts: bool = False) -> Any:
    """Read a whole document; ``as_texts`` keeps numbers as text. Raises DatasetError with the line."""
    with open_bytes(file) as stream:
        content = stream.read(MOST_DOCUMENT + 1)
    if len(content) > MOST_DOCUMENT:
        raise DatasetError(file, f"has more than {MOST_DOCUMENT:,} bytes, the limit; write it as JSON lines (.jsonl)")
    try:
        return parse_json(file, content.decode("utf-8-sig"), as_texts=as_texts)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DatasetError(file, f"not UTF-8 text ({error.reason}); save the file as UTF-8", line=line) from None


def parse_json(file: Path, text: str, *, line: int = 1, as_texts: bool = False) -> Any:
    """Parse the JSON text that begins at a line of a file; raises DatasetError with the line of the fault."""
    try:
        return AS_TEXTS.decode(text) if as_texts else json.loads(text)
    except json.JSONDecodeError as error:
        fault = f"{error.msg.removesuffix(' at')} at column {error.colno}"
        raise DatasetError(file, f"not JSON ({fault}); fix or delete it", line=line + error.lineno - 1) from None
    except (RecursionError, ValueError):  # Python refuses numbers of more than 4,300 digits
        problem = "not JSON that can be read (nested too deep, or a number is too long); fix or delete it"
        raise DatasetError(file, problem, line=line) from None


def json_items(file: Path, *sections: str) -> Iterator[Item]:
    """Yield the items of a list, or the members of an object, as they are read, or the elements of its ``sections``.

    A section that is not a list has no items. Raises DatasetError.
    """
    import ijson

    with open_bytes(file) as stream:
        mark = stream.peek(1 << 12).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if mark not in {b"[", b"{"}:
        raise DatasetError(file, "neither a JSON list nor a JSON object; give an annotation file")
    is_list = mark == b"["
    try:
        for section in ("",) if is_list else sections:
            with open_bytes(file) as stream:
                prefix = f"{section}.item".lstrip(".")
                for number, value in enumerate(ijson.items(stream, prefix, use_float=True), 1):
                    yield Item(section, str(number), value, listed=True)
        if not (is_list or sections):
            with open_bytes(file) as stream:
                for name, value in ijson.kvitems(stream, "", use_float=True):
                    yield Item("", name, value, listed=False)
    except (ijson.JSONError, UnicodeDecodeError) as error:
        read_json(file)  # which names the line
        raise DatasetError(file, f"not JSON that can be read ({error}); fix or delete it".replace("\n", " ")) from None


def json_records(file: Path, *sections: str, wanted: set[str] | None = None) -> Iterator[tuple[Item, Record]]:
    """Yield the items that are objects, each with a record for reading its fields.

    If ``wanted`` is given, members of the file's object with other names are skipped. Raises DatasetError.
    """
    for item in json_items(file, *sections):
        skipped = not item.listed and wanted is not None and item.key not in wanted
        if isinstance(item.value, dict) and not skipped:
            place = f"{item.section or 'item'} {item.key}" if item.listed else f"item {quoted([item.key])}"
            yield item, Record(file, item.value, item=place)


_DETAILS = re.compile(r"(?<!^)'(?:[^'\\]|\\.)*'|\d+|\(.*\)")


@dataclass(slots=True)
class BadRows:
    """Rows that cannot be used. The first one ends the reading, unless such rows are ``skipped``.

    It is the context in which a row is read.
    """

    skipped: bool = False
    faults: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> None:
        """Begin to read a row."""

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        """Leave out the row if it has an error and such rows are skipped."""
        if not (self.skipped and isinstance(error, DatasetError)):
            return False
        self.faults[error.where] = error.problem
        return True

    def notes(self) -> Counter[str]:
        """Count the rows by reason; each reason names its first row."""
        reasons = {place: _DETAILS.sub("…", problem.partition("; ")[0]) for place, problem in self.faults.items()}
        first = {reason: Path(place).name for place, reason in reversed(reasons.items())}
        return Counter(f"left out, as {reason} ({first[reason]})" for reason in reasons.values())
