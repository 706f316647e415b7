"""Reading of workbooks (.xlsx) as records: the first sheet, whose first row is the header.

A cell whose value differs from the one shown becomes an ``Unread``, which raises an error when it is read.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date, time, timedelta
from itertools import repeat
from pathlib import Path
from typing import IO, Any, NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.extras import require_extra
from kbe_graph.files.opening import BOUNDS, Bounds, Tally, open_bytes
from kbe_graph.files.record import Record, Unread
from kbe_graph.files.zip_archive import ARCHIVE_FAULTS, open_archive
from kbe_graph.text import on_one_line, quoted

WORKBOOK = "xl/workbook.xml"
"""The archive member that identifies a workbook."""

_ODD = (AttributeError, LookupError, SyntaxError, TypeError, ValueError)  # what openpyxl raises for unusual XML
_TAG = re.compile(rb"<(?:\w+:)?(row|c|si|f|mergeCell|sheet)[\s/>]")
_STYLES = "xl/styles.xml"
_MOST_MARKS, _MOST_SHEETS = 1 << 15, 1_000  # of styles, and of sheets: openpyxl takes seconds for so many
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=[\"'](\w+:\w+)")
_PIECE, _LONGEST = 1 << 20, 256  # bytes per read; longest tag that may be cut at the end of a read
_DIGITS = 15  # significant digits that a spreadsheet keeps
_SAVE = "open the file in a spreadsheet program and save it"


class _Part(NamedTuple):
    """The counts of selected tags in a part of a workbook, the count of all tags, and the first merged cells."""

    tags: Mapping[bytes, int]
    marks: int
    merged: str


def workbook_records(file: Path, bounds: Bounds = BOUNDS) -> Iterator[Record]:
    """Yield the non-empty rows of the first sheet; raises DatasetError, also for duplicate column names."""
    try:
        parts = _parts(file)
        _require_size(file, parts, bounds)
        yield from _records(file, parts, bounds)
    except (*ARCHIVE_FAULTS, *_ODD) as error:
        raise DatasetError(
            file, f"broken workbook ({on_one_line(str(error.__cause__ or error))}); save it again as .xlsx"
        ) from None


def _parts(file: Path) -> Mapping[str, _Part]:
    with open_archive(file) as archive:
        names = [name for name in archive.namelist() if name.endswith((".xml", ".rels"))]
        return {name: _part(_pieces(stream)) for name in names for stream in [archive.open(name)]}


def _part(pieces: Iterator[bytes]) -> _Part:
    tags: Counter[bytes] = Counter()
    marks, merged = 0, ""
    for piece in pieces:
        if b"\0" in piece:
            raise ValueError("text that is not UTF-8")
        marks += piece.count(b"<")
        tags.update(_TAG.findall(piece))
        if not merged and (match := _MERGED.search(piece)):
            merged = match[1].decode()
    return _Part(tags, marks, merged)


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while content := stream.read(_PIECE):
        piece, mark, rest = (rest + content).rpartition(b"<")
        rest = (mark + rest)[:_LONGEST]
        yield piece
    yield rest


def _require_size(file: Path, parts: Mapping[str, _Part], bounds: Bounds) -> None:
    for name, part in parts.items():
        Tally(file, bounds).add(0, part.tags[b"row"], cells=part.tags[b"c"])
        if name == _STYLES and part.marks > _MOST_MARKS:
            raise DatasetError(file, f"has too many styles ({part.marks:,} tags); save it as .csv")
    texts, cells, sheets = (sum(part.tags[tag] for part in parts.values()) for tag in (b"si", b"c", b"sheet"))
    if sheets > _MOST_SHEETS:
        raise DatasetError(file, f"has {sheets:,} sheets; the limit is {_MOST_SHEETS:,}; save the first as .csv")
    if texts > max(bounds.rows, cells):
        raise DatasetError(file, f"keeps {texts:,} texts for {cells:,} cells; save it again as .xlsx")


@contextmanager
def _first_sheet(file: Path, *, values: bool) -> Iterator[Any]:
    """Open the first sheet, with the values of its formulas or the formulas themselves."""
    require_extra("excel")
    from openpyxl import load_workbook

    with (
        open_bytes(file) as stream,
        closing(load_workbook(stream, read_only=True, data_only=values, keep_links=False)) as workbook,
    ):
        sheet = workbook.worksheets[0]
        sheet.reset_dimensions()  # the stored dimensions may be wrong, and rows would be skipped
        yield sheet


def _records(file: Path, parts: Mapping[str, _Part], bounds: Bounds) -> Iterator[Record]:
    with _first_sheet(file, values=True) as sheet:
        part = parts[sheet._worksheet_path]  # noqa: SLF001 - available nowhere else
        if part.merged:
            raise DatasetError(
                file, f"sheet {sheet.title!r} has merged cells {part.merged}; unmerge them, and fill in each"
            )
        rows = _rows(file, sheet, bounds, has_formulas=part.tags[b"f"] > 0)
        header = [_name(file, cell) for cell in next(rows, ())]
        if len({name for name in header if name}) < sum(map(bool, header)):
            raise DatasetError(file, f"two columns have the same name: {quoted(header)}; rename one", line=1)
        empty = {name: None for name in header if name}
        for number, row in enumerate(rows, 2):
            fields = empty | {name: cell for name, cell in zip(header, row, strict=False) if name}
            if any(cell is not None for cell in fields.values()):
                yield Record(file, fields, item=f"row {number}")


def _name(file: Path, cell: object) -> str:
    if isinstance(cell, Unread):
        raise DatasetError(file, cell.problem)
    return str(cell or "").strip()


def _rows(file: Path, sheet: Any, bounds: Bounds, *, has_formulas: bool) -> Iterator[Iterator[object]]:
    formulas = _formulas(file) if has_formulas else repeat(())
    tally = Tally(file, bounds)
    for cells, own in zip(sheet.iter_rows(), formulas, strict=False):
        tally.add(len(cells))
        yield (_value(cell, formula, sheet.title) for cell, formula in zip(cells, own or repeat(None), strict=False))


def _formulas(file: Path) -> Iterator[Sequence[object]]:
    with _first_sheet(file, values=False) as sheet:
        yield from sheet.iter_rows(values_only=True)


def _value(cell: Any, formula: object, sheet: str) -> object:
    if problem := _problem(cell, formula):
        return Unread(f"sheet {sheet!r} cell {cell.coordinate} {problem}")
    return format(cell.value, f".{_DIGITS}g") if isinstance(cell.value, float) else cell.value


def _problem(cell: Any, formula: object) -> str:
    if cell.value is None:
        is_unknown = formula is not None and cell.data_type != "str"  # a formula's value may be empty text
        return f"contains a formula without a value; {_SAVE}" if is_unknown else ""
    if cell.data_type == "e":
        return f"contains the error {cell.value}; fix it, or clear the cell"
    other = _other_than_shown(cell)
    return f"{other}; format its column as text, and enter it again" if other else ""


def _other_than_shown(cell: Any) -> str:
    value = cell.value
    if isinstance(value, date | time | timedelta):
        return f"contains the date or time {value}"
    if isinstance(value, bool):
        return f"contains the truth value {str(value).upper()}"
    if isinstance(value, float) and abs(value) >= 10**_DIGITS:
        return f"contains {value:.{_DIGITS}g}, which has lost its last digits"
    return f"shows {value} as a percentage" if isinstance(value, int | float) and "%" in cell.number_format else ""
