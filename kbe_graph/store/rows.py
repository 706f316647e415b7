"""Values as rows of the graph, and back: by the fields of the value's class, in one way for all classes."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from kbe_graph.errors import StoreError

Row = dict[str, Any]
Value = TypeVar("Value")


def node_row(id_: str, properties: Row) -> Row:
    """Return a row for the statements that save nodes."""
    return {"id": id_, "properties": properties}


def links(rows: Iterable[Row], name: str = "question") -> list[Row]:
    """Return the edges from nodes (as rows) to the node that a property of theirs names."""
    return [{"subject": row["id"], "object": row["properties"][name]} for row in rows]


def properties_of(value: object, *without: str) -> Row:
    """Return the fields of a value but the named ones as properties, with tuples as lists, pairs as ``key: value``."""
    names = _fields(type(value))  # type: ignore[arg-type] # a class has a hash
    properties = {name: getattr(value, name) for name, _ in names if name not in without}
    return {name: [*map(_item, field)] if isinstance(field, tuple) else field for name, field in properties.items()}


def _item(item: Any) -> Any:
    return ": ".join(item) if isinstance(item, tuple) else item


def value_of(kind: type[Value], what: str, row: Mapping[str, Any], **given: Any) -> Value:
    """Build a value from properties; ``given`` are the fields that are not read from them.

    A property that is missing has the field's default. Raises StoreError, naming ``what``, the row and the field, for a
    value that this program does not write.
    """
    hints = _hints(kind)  # type: ignore[arg-type] # a class has a hash
    names = _fields(kind)  # type: ignore[arg-type]
    values = {name: _checked(what, row, name, hints[name], default) for name, default in names if name not in given}
    return kind(**given, **values)


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


@cache
def _fields(kind: type) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a class, each with its default, or MISSING."""
    if is_dataclass(kind):
        return tuple((field.name, field.default) for field in fields(kind))
    defaults = kind._field_defaults  # type: ignore[attr-defined] # a named tuple
    return tuple((name, defaults.get(name, MISSING)) for name in kind._fields)  # type: ignore[attr-defined]


def _checked(what: str, row: Mapping[str, Any], name: str, hint: Any, default: Any) -> Any:
    value, origin = row.get(name), get_origin(hint)
    if origin is Literal:
        fits = value in get_args(hint)
    elif value is None and default is not MISSING:
        return default
    elif origin is tuple:
        fits = value is None or isinstance(value, list)
        value = _tuple_of(get_args(hint)[0], value or ()) if fits else value
    else:
        fits = isinstance(value, (int, float) if hint is float else hint)
    if not fits:
        refuse_row(what, row.get("id"), name, value)
    return value


def _tuple_of(kind: Any, items: Iterable[Any]) -> tuple[Any, ...]:
    if get_origin(kind) is not tuple and not issubclass(kind, tuple):
        return tuple(items)
    pairs = (str(item).rpartition(": ")[::2] for item in items)
    return tuple(pairs if get_origin(kind) is tuple else map(kind._make, pairs))


def parse_field(what: str, row: Mapping[str, Any], field: str, *, name: str = "id") -> Any:
    """Decode a JSON field; raises StoreError as ``value_of`` does."""
    try:
        return json.loads(row[field])
    except (ValueError, RecursionError):
        refuse_row(what, row.get(name), field, row[field])


def parse_pairs(what: str, row: Mapping[str, Any], field: str, *, name: str) -> tuple[tuple[str, str], ...]:
    """Decode a JSON field of string pairs; raises StoreError as ``value_of`` does."""
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
