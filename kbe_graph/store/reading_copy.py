"""A graph whose folder cannot be written is copied, and the copy read: an engine writes wherever it opens."""

import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import KbeWarning, StoreError
from kbe_graph.files.whole import temporary_folder
from kbe_graph.store.engine_lock import FILE, running
from kbe_graph.store.engine_log import LOG
from kbe_graph.store.engine_process import DATABASE, GRAPH

_WRITTEN = (".", FILE, LOG, GRAPH, f"{GRAPH}/databases/{DATABASE}")


class EngineFolder(NamedTuple):
    """Where an engine runs: the workspace's own folder, or a copy, where ``read_only`` says why nothing is saved."""

    path: Path
    read_only: str = ""


@contextmanager
def engine_folder(directory: Path) -> Iterator[EngineFolder]:
    """Give a folder that an engine can run in: the folder itself, or a copy of its graph, gone at the end.

    Warns where it is a copy. Raises StoreError where none can be made.
    """
    if _is_writable(directory) or running(directory):
        yield EngineFolder(directory)
        return
    warnings.warn(
        f"the graph in {str(directory)!r} cannot be written; a copy of it is read, and nothing is saved",
        KbeWarning,
        stacklevel=3,
    )
    with temporary_folder("kbe-graph") as place:
        _copy(directory, place)
        yield EngineFolder(
            place, f"the graph in {str(directory)!r} cannot be written; make the folder writable, or copy it"
        )


def _is_writable(directory: Path) -> bool:
    return all(os.access(path, os.W_OK) for path in (directory / name for name in _WRITTEN) if path.exists())


def _copy(directory: Path, place: Path) -> None:
    source, target = directory / GRAPH, place / GRAPH
    if not source.exists():
        return
    try:
        shutil.copytree(source, target)
        for path in (target, *target.rglob("*")):
            path.chmod(path.stat().st_mode | (0o700 if path.is_dir() else 0o600))
    except (OSError, shutil.Error) as error:
        problem = error.strerror or "a file cannot be read"
        raise StoreError(
            f"cannot read the graph in {str(directory)!r}: {problem} when it was copied to {str(place)!r}; "
            "set TMPDIR to a folder with room, or make the workspace writable"
        ) from None
