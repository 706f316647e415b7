"""A record of a benchmark file: its fields as text, and errors that name its place."""

import ast
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import Repr
from typing import Any

from kbe_graph.errors import DatasetError
from kbe_graph.files.opening import MOST_LIST, MOST_TEXT, MOST_TEXTS
from kbe_graph.text import quoted

_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_COMMA = re.compile(r"""(['"])\s+\1""")
_short = Repr()
_short.maxstring = _short.maxother = 60
_EXACT = 2**53  # from here on, floats may have lost digits


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of one question and its place in the file: a line, or an item if the file has no lines (``row 3``)."""

    file: Path
    fields: Mapping[str, Any]
    line: int | None = None
    item: str = ""

    @property
    def place(self) -> str:
        """The place in the file, for messages (``line 12``)."""
        return self.item or f"line {self.line}"

    def error(self, problem: str) -> DatasetError:
        """Build an error from the file, the place and the problem."""
        return DatasetError(f"{self.file} {self.item}" if self.item else self.file, problem, line=self.line)

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

        A list may be written in one cell (``['a', 'b']``). Objects in a list are read by their ``answer``, as in the
        official VQA files. A single text counts as a list of one. Raises DatasetError.
        """
        value = self.fields.get(field) if self.has(field) else []
        values = self._listed(value, field, most) if isinstance(value, str) else value
        if not isinstance(values, list):
            raise self.error(f"{field!r} must be a list of texts; found {_short.repr(value)}")
        if len(values) > MOST_TEXTS:
            raise self.error(f"{field!r} has {len(values):,} texts; the limit is {MOST_TEXTS:,}; remove some")
        items = [item.get("answer") if isinstance(item, dict) else item for item in values]
        texts = [self._plain(item, f"{field!r} item {number}") for number, item in enumerate(items, 1)]
        return tuple(text for text in texts if text or blanks)

    def number(self, field: str, *, below: int) -> int:
        """Return a required whole number from 0 to ``below`` - 1; raises DatasetError."""
        text = self.text(field)
        if not (text.isdecimal() and len(text) <= len(str(below)) and int(text) < below):
            raise self.error(f"{field!r} must be a number from 0 to {below - 1}; found {_short.repr(text)}")
        return int(text)

    def _plain(self, value: object, name: str) -> str:
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


def _literal(cell: str) -> object:
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return cell
