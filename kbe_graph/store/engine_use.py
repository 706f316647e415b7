"""Shared use of an embedded engine, use of a copy of a read-only folder, and forced shutdown."""

import os
import shutil
import signal
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import KbeWarning, StoreError
from kbe_graph.files.whole import temporary_folder
from kbe_graph.store.address import Address
from kbe_graph.store.embedded import (
    COMMAND_LIMIT,
    START_LIMIT,
    ends_within,
    make_folder,
    on_demand,
    start,
    stop_warm,
)
from kbe_graph.store.engine_files import FILE, LOG, EngineUsers, has_full_disk, running
from kbe_graph.store.engine_process import DATABASE, GRAPH

HALT_LIMIT = 10.0  # seconds that a busy system needs to end a process
_WRITTEN = (".", FILE, LOG, GRAPH, f"{GRAPH}/databases/{DATABASE}")


class EngineFolder(NamedTuple):
    """The folder of an engine: the workspace's own, or a copy; then ``read_only`` says why nothing is saved."""

    path: Path
    read_only: str = ""


@contextmanager
def engine_folder(directory: Path) -> Iterator[EngineFolder]:
    """Yield a folder that an engine can run in: ``directory``, or a temporary copy of its graph if it is not writable.

    Warns about a copy. Raises StoreError if the copy fails.
    """
    if _is_writable(directory) or running(directory):
        yield EngineFolder(directory)
        return
    warnings.warn(
        f"the graph in {str(directory)!r} cannot be written; reading a copy of it, and saving nothing",
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
            f"cannot read the graph in {str(directory)!r}: {problem} while copying it to {str(place)!r}; "
            "set TMPDIR to a folder with room, or make the workspace writable"
        ) from None


@contextmanager
def use_engine(
    directory: Path, *, timeout: float = COMMAND_LIMIT, warm: float = 0, long_work: bool = False
) -> Iterator[Address]:
    """Yield the engine of a folder, as ``on_demand`` does, and register as its user.

    An engine whose last user was killed may still be running that user's statements, so it is ended first. An engine
    for short commands is also ended before ``long_work``, unless it is in use. After a full disk the engine does not
    stay warm. Raises StoreError.
    """
    make_folder(directory)
    if long_work and (record := running(directory)) and not record.long_work:
        with suppress(StoreError):  # it is in use
            stop_warm(directory)
    with _joined(directory) as abandoned:
        if abandoned:
            halt_engine(directory, why="its last user was killed")
        with on_demand(directory, timeout=timeout, warm=warm, long_work=long_work) as address:
            yield address
    if has_full_disk(directory):
        with suppress(StoreError):  # it is in use
            stop_warm(directory)


@contextmanager
def _joined(directory: Path) -> Iterator[bool]:
    """Register as a user of the folder's engine, unless the users file cannot be created there."""
    with ExitStack() as stack:
        abandoned = False
        with suppress(OSError):
            users = stack.enter_context(EngineUsers(directory))
            try:
                abandoned = stack.enter_context(users.joined(START_LIMIT))
            except TimeoutError:
                log = str(directory / LOG)
                raise StoreError(f"the engine of {str(directory)!r} does not stop; see {log!r}") from None
        yield abandoned


def halt_engine(directory: Path, *, why: str = "it cannot stop a query") -> None:
    """Kill the engine of a folder; one that is kept up is restarted on its port, with a warning that says ``why``."""
    record = running(directory)
    if record is None:
        return
    with suppress(ProcessLookupError):
        os.kill(record.pid, signal.SIGKILL)
    ends_within(directory, record.pid, HALT_LIMIT)
    if record.kept_up:
        warnings.warn(
            f"the running engine is restarted, with a new password (`work.graph.engine.address()`): {why}",
            KbeWarning,
            stacklevel=2,
        )
        start(directory, port=record.bolt_port)
