"""Tables as records: the rows of a Parquet file, and of the first sheet of a workbook (.xlsx).

A cell whose value differs from the one that a spreadsheet shows becomes an ``Unread``, which raises an error when it is
read.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

from kbe_graph.errors import DatasetError
from kbe_graph.extras import require_extra
from kbe_graph.files.archive import ARCHIVE_FAULTS, open_archive
from kbe_graph.files.bounds import BOUNDS, Bounds, Tally, refuse_oversize
from kbe_graph.files.opening import open_bytes
from kbe_graph.files.record import Record, Unread
from kbe_graph.text import on_one_line, quoted

WORKBOOK = "xl/workbook.xml"
"""The archive member that identifies a workbook."""

_BATCH = 64  # rows, each of which may contain an image
_DIGITS = 15  # significant digits that a spreadsheet keeps
_ODD = (AttributeError, LookupError, SyntaxError, TypeError, ValueError)  # what openpyxl raises for unusual XML


def parquet_records(file: Path, bounds: Bounds = BOUNDS) -> Iterator[Record]:
    """Yield the rows of a Parquet table. Raises DatasetError; for too many rows or columns, before the first row."""
    require_extra("parquet")
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    with open_bytes(file) as stream:
        try:
            table = ParquetFile(stream)
            _require_size(file, table.metadata, bounds)
            _require_names(file, table.schema_arrow.names)
            for number, row in enumerate(_parquet_rows(file, table, bounds), 1):
                yield Record(file, row, item=f"row {number}")
        except (ArrowException, OSError, UnicodeDecodeError) as error:
            raise DatasetError(file, f"broken Parquet ({on_one_line(str(error))}); fetch the file again") from None


def _parquet_rows(file: Path, table: Any, bounds: Bounds) -> Iterator[dict[str, Any]]:
    most = max(bounds.content, 4 * file.stat().st_size)  # images hardly compress
    for batch in table.iter_batches(batch_size=_BATCH):
        most -= batch.nbytes
        if most < 0:
            raise DatasetError(
                file, f"has more than {bounds.content:,} bytes in its cells; remove columns, or split it"
            )
        yield from batch.to_pylist()


def _require_size(file: Path, metadata: Any, bounds: Bounds) -> None:
    # The metadata of single columns is not read: if it is corrupt, pyarrow crashes the process.
    Tally(file, bounds).add(metadata.num_columns, metadata.num_rows)
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    refuse_oversize(file, file.stat().st_size, sum(group.total_byte_size for group in groups))


def _require_names(file: Path, header: list[str], line: int | None = None) -> None:
    names = [name for name in header if name]
    if len(set(names)) < len(names):
        raise DatasetError(file, f"two columns have the same name: {quoted(header)}; rename one", line=line)


def workbook_records(file: Path, bounds: Bounds = BOUNDS) -> Iterator[Record]:
    """Yield the non-empty rows of the first sheet; raises DatasetError, also for duplicate column names."""
    with open_archive(file):
        pass  # which refuses a bomb
    try:
        with _first_sheet(file, values=True) as sheet, _first_sheet(file, values=False) as formulas:
            rows = _rows(sheet, formulas.iter_rows(values_only=True), Tally(file, bounds))
            header = [_name(file, cell) for cell in next(rows, [])]
            _require_names(file, header, line=1)
            empty = {name: None for name in header if name}
            for number, row in enumerate(rows, 2):
                fields = empty | {name: cell for name, cell in zip(header, row, strict=False) if name}
                if any(cell is not None for cell in fields.values()):
                    yield Record(file, fields, item=f"row {number}")
    except (*ARCHIVE_FAULTS, *_ODD) as error:
        raise DatasetError(file, f"broken workbook ({on_one_line(str(error))}); save it again as .xlsx") from None


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


def _rows(sheet: Any, formulas: Iterator[tuple[object, ...]], tally: Tally) -> Iterator[list[object]]:
    for cells, own in zip(sheet.iter_rows(), formulas, strict=True):
        tally.add(len(cells))
        yield [_value(cell, formula, sheet.title) for cell, formula in zip(cells, own, strict=True)]


def _name(file: Path, cell: object) -> str:
    if isinstance(cell, Unread):
        raise DatasetError(file, cell.problem)
    return str(cell or "").strip()


def _value(cell: Any, formula: object, sheet: str) -> object:
    if problem := _problem(cell, formula):
        return Unread(f"sheet {sheet!r} cell {cell.coordinate} {problem}")
    return format(cell.value, f".{_DIGITS}g") if isinstance(cell.value, float) else cell.value


def _problem(cell: Any, formula: object) -> str:
    value = cell.value
    if value is None:
        is_unknown = formula is not None and cell.data_type != "str"  # a formula's value may be empty text
        return "contains a formula without a value; open it in a spreadsheet and save it" if is_unknown else ""
    if cell.data_type == "e":
        return f"contains the error {value}; fix it, or clear the cell"
    shown: Mapping[str, bool] = {
        f"contains the date or time {value}": isinstance(value, date | time | timedelta),
        f"contains the truth value {str(value).upper()}": isinstance(value, bool),
        f"contains {value}, which has lost its last digits": isinstance(value, float) and abs(value) >= 10**_DIGITS,
        f"shows {value} as a percentage": isinstance(value, int | float) and "%" in cell.number_format,
    }
    other = next((words for words, holds in shown.items() if holds), "")
    return f"{other}; format its column as text, and enter it again" if other else ""
