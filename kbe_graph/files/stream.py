"""Streaming reader for JSON files of any size: the official annotation files may not fit in memory."""

import codecs
import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from kbe_graph.errors import DatasetError
from kbe_graph.files.opening import MOST_RECORD, open_bytes
from kbe_graph.files.record import Record
from kbe_graph.text import quoted

_CHUNK = 1 << 20
_SPACE = re.compile(r"\s*")
AS_VALUES = json.JSONDecoder()
AS_TEXTS = json.JSONDecoder(parse_int=str, parse_float=str)
"""Decoder that keeps every number as text, as written."""


class Item(NamedTuple):
    """A member of the file's object (``key`` is its name), or an element of the file's list or of a list in the object.

    An empty list is a member.

    For an element, ``section`` is the name of its list, empty if the file is the list, and ``key`` its number from 1.
    """

    section: str
    key: str
    value: Any
    listed: bool


def json_records(file: Path, wanted: set[str] | None = None) -> Iterator[tuple[Item, Record]]:
    """Yield the items of a JSON file that are objects, each with a record for reading its fields.

    If ``wanted`` is given, members of the file's object with other names are skipped. Raises DatasetError.
    """
    for item in json_items(file):
        skipped = not item.listed and wanted is not None and item.key not in wanted
        if isinstance(item.value, dict) and not skipped:
            place = f"{item.section or 'item'} {item.key}" if item.listed else f"item {quoted([item.key])}"
            yield item, Record(file, item.value, item=place)


def json_fault(error: json.JSONDecodeError) -> str:
    """Return the fault of a JSON text, without its position."""
    return error.msg.removesuffix(" at")


def json_items(file: Path, reader: json.JSONDecoder = AS_VALUES) -> Iterator[Item]:
    """Yield the items of a JSON file in order; raises DatasetError if it is not a JSON list or object."""
    with open_bytes(file) as stream, closing(_Text(file, stream, reader)) as text:
        if text.peek() == "[":
            yield from _elements(text, "")
        elif text.peek() == "{":
            yield from _members(text)
        else:
            raise text.error("neither a JSON list nor a JSON object; give an annotation file")
        if text.peek():
            raise text.error("not JSON (there is text after its end); fix or delete it")


def _members(text: "_Text") -> Iterator[Item]:
    text.take("{")
    while text.peek() != "}":
        name = str(text.value())
        text.take(":")
        if text.peek() == "[":
            elements = _elements(text, name)
            yield next(elements, Item("", name, [], listed=False))
            yield from elements
        else:
            yield Item("", name, text.value(), listed=False)
        if not text.comma("}"):
            break
    text.take("}")


def _elements(text: "_Text", section: str) -> Iterator[Item]:
    text.take("[")
    number = 0
    while text.peek() != "]":
        number += 1
        yield Item(section, str(number), text.value(), listed=True)
        if not text.comma("]"):
            break
    text.take("]")


@dataclass
class _Text:
    """The text of a file, read in chunks, with the current position."""

    file: Path
    stream: IO[bytes]
    reader: json.JSONDecoder
    text: str = ""
    at: int = 0
    before: int = 0  # lines before ``text``, for error messages
    chunk: int = _CHUNK
    ended: bool = False
    decoder: codecs.IncrementalDecoder = field(default_factory=codecs.getincrementaldecoder("utf-8-sig"))

    def close(self) -> None:
        """Discard the text that was read ahead."""
        self.text = ""

    def error(self, problem: str) -> DatasetError:
        """Build an error that names the file, the line and the problem."""
        return DatasetError(self.file, problem, line=1 + self.before + self.text.count("\n", 0, self.at))

    def peek(self) -> str:
        """Return the next character that is not space, or an empty string at the end."""
        while True:
            mark = self.text[self.at : self.at + 1]
            if mark > " ":
                return mark
            match = _SPACE.match(self.text, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.text) or self.ended:
                return self.text[self.at : self.at + 1]
            self._more()

    def _more(self) -> None:
        raw = self.stream.read(self.chunk)
        try:
            new = self.decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            raise self.error(f"not UTF-8 text ({error.reason}); save the file as UTF-8") from None
        self.ended = not raw
        self.before += self.text.count("\n", 0, self.at)
        self.text, self.at = self.text[self.at :] + new, 0

    def take(self, mark: str) -> None:
        """Skip ``mark``, which must come next."""
        following = self.peek()
        if following != mark:
            raise self.error(f"not JSON (expected {mark!r}, found {following!r}); fix or delete it")
        self.at += 1

    def comma(self, end: str) -> bool:
        """Skip a comma and return True; return False if ``end`` comes next instead."""
        if self.peek() == end:
            return False
        self.take(",")
        if self.peek() == end:
            raise self.error(f"not JSON (a comma before {end!r}); fix or delete it")
        return True

    def value(self) -> Any:
        """Return the next JSON value, reading until it is complete."""
        self.peek()
        while True:
            try:
                value, end = self.reader.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                if self.ended or not (error.msg.startswith("Unterminated") or error.pos + _CHUNK >= len(self.text)):
                    raise self.error(f"not JSON ({json_fault(error)}); fix or delete it") from None
            except RecursionError:
                raise self.error("not JSON that can be read (nested too deep); fix or delete it") from None
            except ValueError:  # Python refuses numbers of more than 4,300 digits
                raise self.error("not JSON that can be read (a number is too long); fix or delete it") from None
            else:
                if end < len(self.text) or self.ended:
                    self.at = end
                    self.chunk = _CHUNK
                    return cast("Any", value)
            if len(self.text) - self.at > MOST_RECORD:
                raise self.error(f"a value of more than {MOST_RECORD:,} characters, the limit; split it")
            self.chunk *= 2
            self._more()
