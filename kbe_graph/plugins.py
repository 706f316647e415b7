"""Plug-ins: registry rows from other packages, found through entry points (``kbe_graph.formats`` and others)."""

from collections.abc import Container
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from kbe_graph.errors import ConfigError

Kind = TypeVar("Kind")


def plug_ins(group: str, kind: type[Kind], *, taken: Container[str] = ()) -> dict[str, Kind]:
    """Load the rows that other packages add to a group, by name.

    Raises ConfigError for a row that cannot be loaded, is not a ``kind``, or has a name that is ``taken``.
    """
    rows: dict[str, Kind] = {}
    for point in _points(group):
        if point.name in taken or point.name in rows:
            raise _broken(point, f"the name {point.name!r} is taken")
        rows[point.name] = _row(point, kind)
    return rows


@cache
def _points(group: str) -> tuple[EntryPoint, ...]:
    return tuple(sorted(entry_points(group=group), key=lambda point: point.name))


def _row(point: EntryPoint, kind: type) -> Any:
    try:
        row = point.load()
    except Exception as error:  # another package's code may raise anything on import
        raise _broken(point, f"{type(error).__name__}: {error}") from error
    if not isinstance(row, kind):
        raise _broken(point, f"{point.value!r} is not a {kind.__module__}.{kind.__qualname__}")
    return row


def _broken(point: EntryPoint, problem: str) -> ConfigError:
    package = f" of package {point.dist.name!r}" if point.dist else ""
    return ConfigError(
        f"plug-in {point.name!r}{package} ({point.group}) cannot be used: {problem}; fix the package or uninstall it"
    )
