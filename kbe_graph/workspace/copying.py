"""Copies a whole graph from one engine to another, by way of a backup in the workspace that is gone afterwards."""

from collections.abc import Callable
from pathlib import Path

from kbe_graph.errors import InputError
from kbe_graph.files.whole import temporary_folder
from kbe_graph.folder import Folder
from kbe_graph.store import Address, Store
from kbe_graph.store.backup import Backup
from kbe_graph.types import Progress


def copy_graph(source: Store, restore: Callable[[Path], Backup], folder: Folder, progress: Progress) -> Backup:
    """Have ``restore`` read what ``source`` holds; raises InputError where that is nothing."""
    with temporary_folder("copy", folder.hidden) as place:
        file = place / "graph.kbe"
        if not source.backup(file, progress=progress).nodes:
            raise InputError(f"{source.connection.place.graph} is empty; there is nothing to copy")
        return restore(file)


def require_other_graph(own: Address | None, other: Address) -> None:
    """Raise InputError where both addresses name one graph."""
    if own and (own.uri, own.database) == (other.uri, other.database):
        raise InputError(
            f"the graph of the workspace is the one at {other.uri!r}; unset NEO4J_URI, and [graph] uri in kbe.toml, so "
            "that the embedded graph is meant, or name another server"
        )
