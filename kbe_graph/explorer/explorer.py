"""Access of the pages to a workspace: one page at a time, and long lists in parts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.errors import KbeError
from kbe_graph.explorer.snapshot import Snapshot, read_snapshot
from kbe_graph.files.image import ImageFolders
from kbe_graph.store import Store
from kbe_graph.store.connection import Connection
from kbe_graph.web.page_request import Given, number_of
from kbe_graph.workspace.workspace import Workspace

if TYPE_CHECKING:
    from neo4j import Driver


WAITING = 3  # queries that may wait for the running one; each may take a minute and occupies a thread


class PageView(NamedTuple):
    """A page: its template, the template's values, and the HTTP status."""

    template: str
    values: Mapping[str, Any]
    status: int = 200


class CrowdedError(KbeError):
    """Too many requests at once; retrying helps."""

    retryable = True


class Explorer:
    """The pages' access to a workspace; ``read_again`` reloads the graph."""

    def __init__(self, work: Workspace) -> None:
        self._work, self._lock, self._query, self._reading = work, Lock(), Lock(), Lock()
        self._places = BoundedSemaphore(1 + WAITING)
        self._ended = False
        self._stop: Callable[[], None] = lambda: None  # stops the running query
        self.snapshot: Snapshot
        self.folders: ImageFolders  # includes the index of their files, which may be large
        self.read_again()

    @contextmanager
    def work(self) -> Iterator[Workspace]:
        """Lend the workspace to one page at a time."""
        with self._lock:
            yield self._work

    @contextmanager
    def query(self) -> Iterator[Store]:
        """Lend the graph to one console query at a time, while pages are still served.

        A query that takes too long may have to be stopped together with its engine; this waits until no page uses the
        engine, and the next page reopens the graph. Raises CrowdedError if ``WAITING`` queries are already waiting.
        """
        with (
            _take(self._places, f"one query is running and {WAITING} are waiting; try again when they are done"),
            self._query,
        ):
            self._refuse_ended()
            with self._lock:
                connection = self._work.store.connection
            stoppable = self._stoppable(connection)
            self._refuse_ended()
            yield Store(stoppable)

    def _refuse_ended(self) -> None:
        if self._ended:
            raise CrowdedError("kbe explore has ended")

    def _stoppable(self, connection: Connection) -> Connection:
        drivers: list[Driver] = []
        login = connection.query_login

        def dial() -> "Driver":
            drivers.append(login.dial())
            return drivers[-1]

        def close() -> None:
            for driver in drivers:
                driver.close()

        self._stop = connection.halt or close
        halt = partial(self._end, connection.halt) if connection.halt else None
        return replace(connection, query_login=login._replace(dial=dial), halt=halt)

    def end(self) -> None:
        """Stop the running query, if any, and prevent further ones."""
        self._ended = True
        if not self._query.acquire(blocking=False):
            self._stop()

    def _end(self, halt: Callable[[], None]) -> None:
        with self._lock:
            halt()
            self._work.close()

    def read_again(self) -> None:
        """Reload the graph. Raises StoreError, and CrowdedError while it is being reloaded."""
        with (
            _take(self._reading, "the graph is already being read again; wait for it to finish"),
            self.work() as work,
            work.reporter as reporter,
        ):
            self.folders = ImageFolders(work.folder.image_folders)
            self.snapshot = read_snapshot(work, progress=reporter)


@contextmanager
def _take(place: "Lock | BoundedSemaphore", otherwise: str) -> Iterator[None]:
    """Hold a place; raise CrowdedError with the message ``otherwise`` if none is free."""
    if not place.acquire(blocking=False):
        raise CrowdedError(otherwise)
    try:
        yield
    finally:
        place.release()


PageMaker = Callable[[Explorer, Given], PageView]


PART = 50


class ListPart(NamedTuple):
    """A part of a list: its rows, the position of the first, and the length of the list.

    ``before`` and ``after`` are the positions of the neighbouring parts, None at the ends.
    """

    rows: Sequence[Any]
    start: int
    total: int

    @property
    def before(self) -> int | None:
        """The start of the previous part."""
        return max(self.start - PART, 0) if self.start else None

    @property
    def after(self) -> int | None:
        """The start of the next part."""
        end = self.start + len(self.rows)
        return end if end < self.total else None


def part_of(rows: Sequence[Any], given: Mapping[str, str], name: str = "from") -> ListPart:
    """Return the part of a list that a page's address requests, by default the first."""
    start = number_of(given, name, 0, most=max(len(rows) - 1, 0))
    return ListPart(rows[start : start + PART], start, len(rows))
