"""Packaged files, and tables of tab-separated rows."""

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from kbe_graph.errors import DatasetError, ResourceError
from kbe_graph.files.opening import MOST_WHOLE, is_archive, open_bytes
from kbe_graph.text import quoted


def _read(package: str, name: str) -> str:
    try:
        return files(package).joinpath(name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ResourceError(f"no file {name!r} in {package}; reinstall kbe-graph") from None


@cache
def statement(name: str) -> str:
    """Return the Cypher text of the statement ``name`` (without file extension); raises ResourceError."""
    return _read("kbe_graph.cypher", f"{name}.cypher")


@cache
def prompt(name: str) -> str:
    """Return the text of the prompt ``name``, with ``$name`` placeholders; raises ResourceError."""
    return _read("kbe_graph.prompts", f"{name}.md")


@cache
def prompt_names() -> tuple[str, ...]:
    """Return the names of all prompts."""
    names = (file.name for file in files("kbe_graph.prompts").iterdir())
    return tuple(sorted(name.removesuffix(".md") for name in names if name.endswith(".md")))


def data(name: str) -> Traversable:
    """Return the packaged data file or folder ``name``; raises ResourceError."""
    place = files("kbe_graph.data").joinpath(name)
    if not (place.is_file() or place.is_dir()):
        raise ResourceError(f"no data {name!r} in kbe_graph.data; reinstall kbe-graph")
    return place


@cache
def fields(name: str) -> Mapping[str, Any]:
    """Read the object in the packaged JSON file ``name``."""
    content: Mapping[str, Any] = json.loads(data(name).read_text(encoding="utf-8"))
    return content


_FORMULA = re.compile(r"'*[=+\-@]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*")


def rows(file: Traversable, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of a table whose first line is exactly ``columns``; raises DatasetError."""
    head, *lines = _lines(file)
    if head.split("\t") != list(columns):
        problem = f"the columns are [{quoted(head.split(chr(9)))}]; they must be {list(columns)!r}"
        raise DatasetError(file.name, problem, line=1)
    for line, text in enumerate(lines, start=2):
        count = text.count("\t") + 1
        if count != len(columns):
            raise DatasetError(file.name, f"{count} fields; there must be {len(columns)}", line=line)
        yield line, text.split("\t")


def names_in(field: str) -> tuple[str, ...]:
    """Split a field into the names separated by ``|``."""
    return tuple(name for part in field.split("|") if (name := part.strip())) if field else ()


def sheet_cell(text: str) -> str:
    """Escape a text for a spreadsheet: an apostrophe in front if it would be read as a formula.

    >>> sheet_cell("=1+1"), sheet_cell("-5"), sheet_cell("dog")
    ("'=1+1", '-5', 'dog')
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def cell_text(cell: str) -> str:
    """Undo ``sheet_cell``."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def columns_of(file: Traversable) -> tuple[str, ...]:
    """Return the fields of a table's first line; raises DatasetError."""
    return tuple(_lines(file)[0].split("\t"))


def _lines(file: Traversable) -> list[str]:
    try:
        text = _content(file).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise DatasetError(file.name, f"byte {error.start} is not UTF-8; save it as UTF-8") from None
    return text.removesuffix("\n").split("\n")


def _content(file: Traversable) -> bytes:
    if not isinstance(file, Path):  # in a package that is not unpacked
        content = file.read_bytes()
        return gzip.decompress(content) if file.name.endswith(".gz") else content
    with open_bytes(file) as stream:
        content = stream.read(MOST_WHOLE + 1)
    if len(content) > MOST_WHOLE:
        raise DatasetError(file, f"has more than {MOST_WHOLE:,} bytes, the limit; split it")
    if is_archive(content):
        raise DatasetError(file, "a workbook or another zip archive; save it as text, with tabs between cells")
    return content
