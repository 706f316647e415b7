"""Validation of rows read from the graph: a row that this program cannot have written is refused by name."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from kbe_graph.errors import StoreError

Row = dict[str, Any]
Type = type | tuple[type, ...]
Types = Mapping[str, Type]
R = TypeVar("R", bound=Mapping[str, Any])

TEXT_OR_NONE, LIST_OR_NONE = (str, type(None)), (list, type(None))
NUMBER_OR_NONE, FLAG_OR_NONE = (int, type(None)), (bool, type(None))


def typed(names: str, type_: Type = str) -> Types:
    """Map each name of a space-separated list to a type."""
    return dict.fromkeys(names.split(), type_)


COUNT: Types = {**typed("run status reason kind grounding"), "hop": int, "noun": FLAG_OR_NONE}
ENTITY: Types = {"name": str, "number": int, "noun": bool, "concept": str}
EDGE: tuple[tuple[str, Type], ...] = (
    ("graph", str),
    ("position", int),
    ("relation", str),
    *typed("source source_ref evidence", TEXT_OR_NONE).items(),
    *ENTITY.items(),
    *ENTITY.items(),
)
"""The values of a triplet as ``graphs`` and ``keys`` return them: edge, subject, object."""


def checked_values(what: str, row: Mapping[str, Any], types: Types) -> Row:
    """Convert validated properties to field values: lists become tuples, None becomes an empty string or tuple.

    Raises StoreError as ``check_row`` does.
    """
    check_row(what, row, types)
    return {name: _value(row.get(name), type_) for name, type_ in types.items()}


def _value(value: Any, type_: Type) -> Any:
    if type_ == LIST_OR_NONE:
        return tuple(value or ())
    return value or "" if type_ == TEXT_OR_NONE else value


def check_row(what: str, row: R, types: Types, *, name: str = "id") -> R:
    """Return ``row`` if its values have the expected types; otherwise raise StoreError, naming the row."""
    for field, type_ in types.items():
        if not isinstance(row.get(field), type_):
            refuse_row(what, row.get(name), field, row.get(field))
    return row


def check_counts(what: str, rows: Iterable[R]) -> list[R]:
    """Validate rows of counts; raises StoreError as ``check_row`` does."""
    return [check_row(what, row, {name: COUNT[name] for name in COUNT.keys() & row.keys()}, name="run") for row in rows]


def check_edge(what: str, id_: str, edge: Sequence[Any]) -> Sequence[Any]:
    """Return the values of a triplet if they match ``EDGE``; raises StoreError as ``check_row`` does."""
    for (field, type_), value in zip(EDGE, edge, strict=True):
        if not isinstance(value, type_):
            refuse_row(what, id_, field, value)
    return edge


def parse_field(what: str, row: Mapping[str, Any], field: str, *, name: str = "id") -> Any:
    """Decode a JSON field; raises StoreError as ``check_row`` does."""
    try:
        return json.loads(row[field])
    except (ValueError, RecursionError):
        refuse_row(what, row.get(name), field, row[field])


def parse_pairs(what: str, row: Mapping[str, Any], field: str, *, name: str) -> tuple[tuple[str, str], ...]:
    """Decode a JSON field of string pairs; raises StoreError as ``check_row`` does."""
    try:
        return tuple((str(key), str(value)) for key, value in parse_field(what, row, field, name=name))
    except (TypeError, ValueError):
        refuse_row(what, row.get(name), field, row[field])


def refuse_row(what: str, id_: object, field: str, value: object) -> NoReturn:
    """Raise StoreError for a value that this program does not write."""
    raise StoreError(
        f"the {what} {id_!r} in the graph has a {field!r} that this program does not write ({str(value)[:60]!r}): "
        "another program changed the graph; restore a backup with `restore` and `replace`"
    )
