"""An annotation of an image: things, and links between them."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.opening import first_bytes, first_line
from kbe_graph.files.record import Record

SOURCES = ("scene graph", "coco instances", "caption", "caption words", "detection")
"""The sources, with manual annotations first."""


def rank(source: str) -> int:
    """Return the rank of a source; sources from plug-ins come last."""
    return SOURCES.index(source) if source in SOURCES else len(SOURCES)


Box = tuple[float, float, float, float]
"""A region of a picture: left, top, right and bottom, in pixels."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An object in an annotation.

    ``id`` is the annotation's own, or the position in a caption; ``area`` is in pixels, 0 if unknown; ``attributes``
    are properties (red, wooden, two); ``box`` is the region, None if unknown.
    """

    id: str
    name: str
    area: float = 0.0
    attributes: tuple[str, ...] = ()
    box: Box | None = None


class ThingLink(NamedTuple):
    """A relation between two things, given by their ids."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True)
class View:
    """The things and links of an annotation.

    ``ref`` is file#id, ``evidence`` the words that it was read from, ``question`` the question that it was made for, if
    any.
    """

    source: str
    ref: str
    things: tuple[Thing, ...] = ()
    links: tuple[ThingLink, ...] = ()
    evidence: str = ""
    question: str = ""


class KeyedView(NamedTuple):
    """A view, or an unparsed caption, with its key: the id of an image or a question."""

    key: str
    view: View


def record_parts(record: Record, field: str) -> list[Record]:
    """Return the objects in a field, given as a list or as an object by name; empty if the field is missing.

    Raises DatasetError, naming the place, for anything else.
    """
    values = record.fields.get(field, [])
    named = values.items() if isinstance(values, dict) else enumerate(values, 1) if isinstance(values, list) else None
    if named is None:
        raise record.error(f"{field!r} must be a list of objects; found {type(values).__name__}")
    return [_part(record, value, f"{field} {name}") for name, value in named]


def _part(record: Record, value: object, place: str) -> Record:
    if not isinstance(value, dict):
        raise record.error(f"{place} must be an object; found {str(value)[:60]!r}")
    return Record(record.file, value, item=f"{record.place} {place}")


def pixel_size(record: Record, field: str) -> float:
    """Return a length or area in pixels, 0 if it is missing; raises DatasetError if it is not a number."""
    value = record.fields.get(field, 0)
    if (number := _number(value)) is None:
        raise record.error(f"{field!r} must be a number; found {str(value)[:60]!r}")
    return number


def box_of(values: Sequence[object]) -> Box | None:
    """Build a box from left, top, width and height; None for invalid values and for an empty box.

    >>> box_of((10, 20, 30, 5)), box_of(())
    ((10.0, 20.0, 40.0, 25.0), None)
    """
    numbers = [number for value in values if (number := _number(value)) is not None]
    if len(numbers) != 4 or len(values) != 4:
        return None
    x, y, width, height = numbers
    return (x, y, x + width, y + height) if width > 0 and height > 0 else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    with suppress(OverflowError):
        return float(value) if isfinite(value) else None
    return None


def first_mark(file: Path) -> str:
    """Return the first character of a file other than space: ``{`` or ``[`` for JSON; raises DatasetError."""
    mark = first_line(first_bytes(file)).lstrip()[:1]
    if not mark:
        raise DatasetError(file, "is empty; give an annotation file")
    return mark


def picture_key(name: str, wanted: Collection[str] | None) -> str:
    """Return the key of an annotated picture: its name if that is wanted, else the name without folder and ending."""
    return name if wanted and name in wanted else image_id(name)


def image_lines(
    lines: Iterable[tuple[int, str]], file: Path, wanted: set[str] | None = None
) -> Iterator[tuple[str, Sequence[Record]]]:
    """Yield the key and objects of each wanted image's line; other lines are not parsed. Raises DatasetError."""
    for number, line in lines:
        name, tab, text = line.partition("\t")
        if not tab and line.strip():
            raise DatasetError(file, f"no tab after the image id; found {line[:60]!r}", line=number)
        key = picture_key(name.strip(), wanted)
        if tab and (wanted is None or key in wanted):
            yield key, [Record(file, fields, number) for fields in _objects(text, file, number)]


def _objects(text: str, file: Path, number: int) -> list[dict[str, Any]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DatasetError(file, f"not JSON after the tab ({error}); fix or delete it", line=number) from None
    if not (isinstance(value, list) and all(isinstance(item, dict) for item in value)):
        raise DatasetError(file, f"expected a list of objects after the tab; found {text[:60]!r}", line=number)
    return value
