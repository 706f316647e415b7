"""Tables as records: the rows of a Parquet file, and of the first sheet of a workbook (.xlsx)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from kbe_graph.errors import DatasetError
from kbe_graph.extras import require_extra
from kbe_graph.files.opening import open_bytes, read_members, refuse_oversize
from kbe_graph.files.record import Record
from kbe_graph.text import on_one_line, quoted

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
            rows = (row for batch in table.iter_batches(batch_size=_BATCH) for row in batch.to_pylist())
            for number, row in enumerate(rows, 1):
                yield Record(file, row, item=f"row {number}")
        except (ArrowException, OSError, UnicodeDecodeError) as error:
            raise DatasetError(file, f"broken Parquet ({on_one_line(str(error))}); fetch the file again") from None


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
