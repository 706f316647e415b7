"""The formats that questions are written in: ours, and those of plug-ins."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.export.jsonl import write_jsonl
from kbe_graph.export.selection import Selection
from kbe_graph.plugins import registry


class Export(NamedTuple):
    """A format: what a file of it holds (for help texts), and what writes one and returns its number of questions."""

    about: str
    write: Callable[[Path, Selection], int]


EXPORTS: Mapping[str, Export] = {
    "jsonl": Export("Write one JSON line a question to FILE, the raw questions (hop 0) first.", write_jsonl)
}
"""Our own formats by name."""


def exports() -> Mapping[str, Export]:
    """Return all formats by name, those of plug-ins (``kbe_graph.exports``) among them."""
    return registry("kbe_graph.exports", EXPORTS)


def export_of(name: str) -> Export:
    """Return the format of this name; raises InputError."""
    rows = exports()
    if name not in rows:
        raise InputError(f"no export {name!r}; there are {', '.join(rows)}")
    return rows[name]
