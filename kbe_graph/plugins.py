"""Registries of formats, checks and sources: built-in rows, and those of other packages, found through entry points."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol, TypeVar

from kbe_graph.errors import ConfigError, DatasetError, InputError
from kbe_graph.text import quoted

Kind = TypeVar("Kind")
Row_co = TypeVar("Row_co", covariant=True)
Source = TypeVar("Source")
Source_contra = TypeVar("Source_contra", contravariant=True)


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


class Recognisable(Protocol[Source_contra]):
    """A format that can be recognised from a file's content."""

    @property
    def looks_for(self) -> str:
        """A description of the expected content, for messages."""

    @property
    def matches(self) -> Callable[[Source_contra], bool]:
        """Whether a source has this content."""


class Registry(Mapping[str, Row_co]):
    """The formats of one kind by name, in order of recognition: those of plug-ins, then the built-in ones (``own``).

    ``kind`` names a format in messages (``export format``); ``group`` is the plug-ins' entry point group. Access raises
    ConfigError for a plug-in that cannot be loaded, has the wrong type, or uses a built-in name.
    """

    def __init__(self, kind: str, group: str, own: Mapping[str, Row_co]) -> None:
        self.kind, self.group, self.own = kind, group, own

    def _rows(self) -> Mapping[str, Row_co]:
        return {**plug_ins(self.group, type(next(iter(self.own.values()))), taken=self.own), **self.own}

    def __getitem__(self, name: str) -> Row_co:
        return self.own[name] if name in self.own else self._rows()[name]  # plug-ins may use built-in formats

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows())

    def __len__(self) -> int:
        return len(self._rows())

    def require(self, name: str) -> Row_co:
        """Return the format with this name; raises InputError, listing all names, for an unknown one."""
        rows = self._rows()
        if name not in rows:
            raise InputError(f"unknown {self.kind} {name!r}; use {', '.join(rows)}")
        return rows[name]

    def recognise(self: "Registry[Recognisable[Source]]", source: Source, *, file: Path, fields: Iterable[str]) -> str:
        """Return the name of the first format that matches a source; raises DatasetError if none does.

        The message contains ``file`` and the ``fields`` of its content.
        """
        rows = self._rows()
        for name, row in rows.items():
            if row.matches(source):
                return name
        looked_for = "; ".join(row.looks_for for row in rows.values())
        raise DatasetError(file, f"no known {self.kind}: found {quoted(fields)}; looked for {looked_for}")
