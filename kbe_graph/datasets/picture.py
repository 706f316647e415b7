"""The picture of a row: a path, bytes, base64, or a list of these."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_letters, digits, whitespace
from typing import Any

from kbe_graph.datasets.fields import ADDRESSES
from kbe_graph.files.bounds import MOST_ID
from kbe_graph.files.image import decode_base64, save_image
from kbe_graph.files.record import Record

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_DATA = re.compile(r"\s*data:", re.IGNORECASE)
_BASE64 = frozenset(ascii_letters + digits + whitespace + "+/-_='\"")
_SHORTEST = 65  # characters of a picture in base64; anything shorter is a name


def picture_cells(record: Record, columns: Sequence[str]) -> list[Any]:
    """Return all pictures of a row, from several columns and from lists. Raises DatasetError."""
    cells = [_members(record, column) for column in columns if record.has(column)]
    own = [values for number, values in enumerate(cells) if values not in cells[:number]]  # a column may repeat another
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
    """Return True if a cell contains a picture's web address instead of the picture."""
    return isinstance(value, str) and bool(_ADDRESS.match(value.strip()))


def address_of(record: Record) -> str:
    """Return the web address of a row's picture from the usual columns, or ``""``."""
    cells = (record.fields.get(column) for column in ADDRESSES)
    return next((str(cell).strip() for cell in cells if is_address(cell)), "")


def picture_name(record: Record, column: str, value: Any, folder: Path | None) -> str:
    """Return the path or address of a picture, or the name under which its bytes are saved in the folder.

    ``value`` is a path, bytes, Hugging Face's ``{bytes, path}``, or base64 with or without ``data:``.
    Raises DatasetError for bytes that are not a picture.
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
    """Return True if a text is a base64 picture: it starts with ``data:``, is too long for a name, or decodes."""
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
