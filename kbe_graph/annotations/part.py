"""Parts of an annotation's record: objects within it, and sizes."""

from contextlib import suppress
from math import isfinite

from kbe_graph.files.record import Record


def record_parts(record: Record, field: str) -> list[Record]:
    """Return the objects of a list, or of an object by name, that stand in a field; none where it is absent.

    Raises DatasetError, with the place, for anything else.
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
    """Return a length or area in pixels, 0 where it is not given; raises DatasetError for anything but a number."""
    value = record.fields.get(field, 0)
    if (number := _number(value)) is None:
        raise record.error(f"{field!r} must be a number; found {str(value)[:60]!r}")
    return number


def pixel_sizes(record: Record, field: str, count: int) -> tuple[float, ...]:
    """Return a list of so many numbers; raises DatasetError."""
    values = record.fields.get(field)
    numbers = [number for value in values if (number := _number(value)) is not None] if isinstance(values, list) else []
    if len(numbers) != count:
        raise record.error(f"{field!r} must be a list of {count} numbers; found {str(values)[:60]!r}")
    return tuple(numbers)


def _number(value: object) -> float | None:
    """Return a number that can be reckoned with, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    with suppress(OverflowError):
        return float(value) if isfinite(value) else None
    return None
