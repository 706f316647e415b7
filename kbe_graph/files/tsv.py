"""Reads tab-separated tables, gzipped or not; every error names the line. What a cell of a spreadsheet may hold."""

import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from importlib.resources.abc import Traversable

from kbe_graph.errors import DatasetError, InputError

_FORMULA = re.compile(r"'*[=+\-@]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*")


def rows(file: Traversable, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of a table whose first line is exactly ``columns``; raises DatasetError."""
    head, *lines = _text(file).splitlines() or [""]
    if head.split("\t") != list(columns):
        raise DatasetError(file.name, f"the columns are {head.split(chr(9))!r}; they must be {list(columns)!r}", line=1)
    for line, text in enumerate(lines, start=2):
        fields = text.split("\t")
        if len(fields) != len(columns):
            raise DatasetError(file.name, f"{len(fields)} fields; there must be {len(columns)}", line=line)
        yield line, fields


def names_in(field: str) -> tuple[str, ...]:
    """Return the names of a field that holds several, ``|`` between them."""
    return tuple(name for part in field.split("|") if (name := part.strip())) if field else ()


def sheet_cell(text: str) -> str:
    """Return a text as the cell of a sheet: an apostrophe first where a spreadsheet would take it as a formula.

    >>> sheet_cell("=1+1"), sheet_cell("-5"), sheet_cell("dog")
    ("'=1+1", '-5', 'dog')
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def cell_text(cell: str) -> str:
    """Return the text that ``sheet_cell`` made a cell of."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def columns_of(file: Traversable) -> tuple[str, ...]:
    """Return the fields of a table's first line; raises DatasetError and InputError."""
    return tuple(_text(file).partition("\n")[0].rstrip("\r").split("\t"))


def _text(file: Traversable) -> str:
    try:
        content = file.read_bytes()
        return (gzip.decompress(content) if file.name.endswith(".gz") else content).decode("utf-8-sig")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DatasetError(file.name, f"it is no whole gzip file: {error}; get it again") from None
    except UnicodeDecodeError as error:
        raise DatasetError(file.name, f"byte {error.start} is not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise InputError(f"cannot read {str(file)!r}: {error.strerror}") from None
