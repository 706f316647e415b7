"""Who uses the embedded engine of a folder, together with others or after them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from kbe_graph.errors import StoreError
from kbe_graph.store.embedded import COMMAND_LIMIT, START_LIMIT, Endpoint, make_folder, on_demand, stop_warm
from kbe_graph.store.engine_lock import EngineUsers, running
from kbe_graph.store.engine_log import LOG, has_full_disk
from kbe_graph.store.halt import halt_engine


@contextmanager
def use_engine(
    directory: Path, *, timeout: float = COMMAND_LIMIT, warm: float = 0, long_work: bool = False
) -> Iterator[Endpoint]:
    """Give the engine of a folder, as ``on_demand`` does, and be counted as its user.

    An engine whose last user was killed may still do what that one asked for, and write it after what is asked next: it
    is ended first, and so is one for short commands before ``long_work``, unless somebody uses it. One whose disk was
    full does not stay warm. Raises StoreError.
    """
    make_folder(directory)
    if long_work and (record := running(directory)) and not record.long_work:
        with suppress(StoreError):  # somebody else uses it
            stop_warm(directory)
    with _joined(directory) as abandoned:
        if abandoned:
            halt_engine(directory, why="its last user was killed")
        with on_demand(directory, timeout=timeout, warm=warm, long_work=long_work) as endpoint:
            yield endpoint
    if has_full_disk(directory):
        with suppress(StoreError):  # somebody else uses it
            stop_warm(directory)


@contextmanager
def _joined(directory: Path) -> Iterator[bool]:
    """Be a user of the folder's engine; where no file can be made there, nobody is told."""
    with ExitStack() as stack:
        abandoned = False
        with suppress(OSError):
            users = stack.enter_context(EngineUsers(directory))
            try:
                abandoned = stack.enter_context(users.joined(START_LIMIT))
            except TimeoutError:
                log = str(directory / LOG)
                raise StoreError(f"the engine of {str(directory)!r} does not end; see {log!r}") from None
        yield abandoned
