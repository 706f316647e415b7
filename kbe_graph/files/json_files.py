"""JSON files: whole documents, and annotation files of any size, which may not fit in memory."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.files.opening import MOST_DOCUMENT, open_bytes
from kbe_graph.files.record import Record
from kbe_graph.text import quoted

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
