"""The explorer of a workspace: the graph, asked by one page at a time, and what is kept of it between pages."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

from kbe_graph.explorer.snapshot import Snapshot, read_snapshot
from kbe_graph.store import Store
from kbe_graph.workspace.workspace import Workspace

Given = Mapping[str, str]


class PageView(NamedTuple):
    """A page: its template, the values that are put in, and the status that it is sent with."""

    template: str
    values: Mapping[str, Any]
    status: int = 200


class Explorer:
    """A workspace that pages are made of; ``read_again`` takes in what was written since."""

    def __init__(self, work: Workspace) -> None:
        self._work, self._lock, self._query = work, Lock(), Lock()
        self.snapshot: Snapshot
        self.read_again()

    @contextmanager
    def work(self) -> Iterator[Workspace]:
        """Give the workspace to one page at a time."""
        with self._lock:
            yield self._work

    @contextmanager
    def query(self) -> Iterator[Store]:
        """Give the graph to one query of the console at a time; pages are served meanwhile.

        A query that takes too long may have to be ended with its engine: then no page is asking it, and the next one
        opens the graph anew.
        """
        with self._query:
            with self._lock:
                connection = self._work.store.connection
            halt = partial(self._end, connection.halt) if connection.halt else None
            yield Store(replace(connection, halt=halt))

    def _end(self, halt: Callable[[], None]) -> None:
        with self._lock:
            halt()
            self._work.close()

    def read_again(self) -> None:
        """Read the graph anew. Raises StoreError."""
        with self.work() as work, work.reporter as reporter:
            self.snapshot = read_snapshot(work, progress=reporter)


PageMaker = Callable[[Explorer, Given], PageView]
