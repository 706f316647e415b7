"""The picture of a row: a path, bytes, base64, or a list of them."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_letters, digits, whitespace
from typing import Any

from kbe_graph.datasets.fields import ADDRESSES
from kbe_graph.files.image import decode_base64, save_image
from kbe_graph.files.record import MOST_ID, Record

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_DATA = re.compile(r"\s*data:", re.IGNORECASE)
_BASE64 = frozenset(ascii_letters + digits + whitespace + "+/-_='\"")
_SHORTEST = 65  # characters of a picture in base64; what is shorter is a name


def picture_cells(record: Record, columns: Sequence[str]) -> list[Any]:
    """Return all pictures of a row, those of several columns and of lists. Raises DatasetError."""
    cells = [_members(record, column) for column in columns if record.has(column)]
    own = [values for number, values in enumerate(cells) if values not in cells[:number]]  # one may say another again
    return [value for values in own for value in values]


def _members(record: Record, column: str) -> list[Any]:
    value = record.fields[column]
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = list(record.texts(column, most=None))
    values = value if isinstance(value, list) else [value]
    return [item for item in values if not _is_empty(item)]


def _is_empty(value: object) -> bool:
    if isinstance(value, Mapping):
        return not (value.get("bytes") or value.get("path"))
    return value is None or (isinstance(value, str | bytes) and not value)


def is_address(value: object) -> bool:
    """Return True if a cell holds the address of a picture instead of the picture."""
    return isinstance(value, str) and bool(_ADDRESS.match(value.strip()))


def address_of(record: Record) -> str:
    """Return the address of a row's picture by the usual columns of addresses; ``""`` for none."""
    cells = (record.fields.get(column) for column in ADDRESSES)
    return next((str(cell).strip() for cell in cells if is_address(cell)), "")


def picture_name(record: Record, column: str, value: Any, folder: Path | None) -> str:
    """Return the path or address of a picture, or the name under which its bytes are saved in the folder.

    ``value`` is a path, bytes, ``{bytes, path}`` as Hugging Face writes it, or base64 with or without ``data:``.
    Raises DatasetError for bytes that are no picture.
    """
    parts = value if isinstance(value, Mapping) else {"bytes": value, "path": value}
    content = parts.get("bytes")
    try:
        if isinstance(content, str) and (parts is value or is_base64(content)):
            content = decode_base64(content)
        if isinstance(content, bytes):
            return save_image(content, folder)
    except ValueError as error:
        raise record.error(f"{column!r} is {error}; found {str(value)[:20]!r}") from None
    if is_address(parts.get("path")):
        return str(parts["path"]).strip()
    return Record(record.file, {column: parts.get("path")}, record.line, record.item).optional(column)


def is_base64(text: str) -> bool:
    """Return True if a text is a picture in base64: it begins with ``data:``, or is longer than a name and plain."""
    if _DATA.match(text):
        return True
    if len(text) < _SHORTEST or not _BASE64.issuperset(text):
        return False
    if len(text) > MOST_ID:
        return True
    try:
        save_image(decode_base64(text), None)
    except ValueError:
        return False
    return True
