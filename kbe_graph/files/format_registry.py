"""Formats by name: our own and those of plug-ins, asked for by name or recognised by the content of a file."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.plugins import plug_ins
from kbe_graph.text import quoted

Row_co = TypeVar("Row_co", covariant=True)
Source = TypeVar("Source")
Source_contra = TypeVar("Source_contra", contravariant=True)


class Recognisable(Protocol[Source_contra]):
    """A format that files can be recognised by."""

    @property
    def looks_for(self) -> str:
        """The content that it looks for, in words, for messages."""

    @property
    def matches(self) -> Callable[[Source_contra], bool]:
        """Whether a source has this content."""


class Registry(Mapping[str, Row_co]):
    """The rows of one kind by name: those of plug-ins first, then our ``own``, in the order of recognition.

    ``kind`` names a row in messages (``export format``), ``group`` is the entry point of plug-ins. Reading it raises
    ConfigError for a plug-in that cannot be loaded, is of another type than our own rows, or takes one of their names.
    """

    def __init__(self, kind: str, group: str, own: Mapping[str, Row_co]) -> None:
        self.kind, self.group, self.own = kind, group, own

    def _rows(self) -> Mapping[str, Row_co]:
        return {**plug_ins(self.group, type(next(iter(self.own.values()))), taken=self.own), **self.own}

    def __getitem__(self, name: str) -> Row_co:
        return self.own[name] if name in self.own else self._rows()[name]  # plug-ins may be made of our own rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows())

    def __len__(self) -> int:
        return len(self._rows())

    def require(self, name: str) -> Row_co:
        """Return the row of this name; raises InputError for an unknown one, with all names."""
        rows = self._rows()
        if name not in rows:
            raise InputError(f"unknown {self.kind} {name!r}; use {', '.join(rows)}")
        return rows[name]

    def recognise(self: "Registry[Recognisable[Source]]", source: Source, *, file: Path, fields: Iterable[str]) -> str:
        """Return the name of the first format that matches a source; raises DatasetError if none does.

        ``file`` and the ``fields`` of its content stand in the message.
        """
        rows = self._rows()
        for name, row in rows.items():
            if row.matches(source):
                return name
        looked_for = "; ".join(row.looks_for for row in rows.values())
        raise DatasetError(file, f"no known {self.kind}: found {quoted(fields)}; looked for {looked_for}")
