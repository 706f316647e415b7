"""Writes rows to SQLite from an event loop: those that come while a transaction is written go into the next."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import ResourceError
from kbe_graph.files.private import private_file

BUSY = 60.0  # seconds to wait while another process writes
PAUSE = 0.01  # seconds between looks whether it still does


class SqlWrite(NamedTuple):
    """A statement and its parameters."""

    statement: str
    values: tuple[Any, ...]


class Writer:
    """One connection that writes, one transaction at a time, from the loop's thread or its own."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connection = connect(file)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="calls")
        self._writing = threading.Lock()
        self._rows: list[SqlWrite] = []
        self._promises: list[asyncio.Future[None]] = []
        self._task: asyncio.Task[None] | None = None

    def write_later(self, *rows: SqlWrite) -> asyncio.Future[None]:
        """Write rows soon; the future is done once they are in the file, safe from the end of the process."""
        promise = asyncio.get_running_loop().create_future()
        self._rows += rows
        self._promises.append(promise)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write_all())
        return promise

    def write_now(self, rows: Iterable[SqlWrite]) -> None:
        """Write rows in one transaction, all or none; raises ResourceError."""
        try:
            with self._writing, self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                for row in rows:
                    self._connection.execute(row.statement, row.values)
        except sqlite3.Error as error:
            raise ResourceError(
                f"cannot write {str(self._file)!r} ({error}); is there room on the disk, and may it be written"
            ) from None

    def close(self) -> None:
        """Write what is left and close."""
        self._thread.shutdown(wait=True)
        self.write_now(self._rows)
        self._rows = []
        self._connection.close()

    async def _write_all(self) -> None:
        while self._rows or self._promises:
            rows, promises = self._rows, self._promises
            self._rows, self._promises = [], []
            try:
                await asyncio.get_running_loop().run_in_executor(self._thread, self.write_now, rows)
            except ResourceError as error:
                _settle(promises, error)
            else:
                _settle(promises, None)


def connect(file: Path) -> sqlite3.Connection:
    """Return a connection in WAL mode, each of whose statements stands alone; raises ResourceError.

    The file is its owner's alone, as are those that SQLite puts beside it.
    """
    try:
        connection = sqlite3.connect(private_file(file), timeout=BUSY, isolation_level=None, check_same_thread=False)
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous=NORMAL")
    except (OSError, sqlite3.Error) as error:
        raise ResourceError(f"cannot open {str(file)!r} ({error}); if it is no call store, move it away") from None
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode; where another process does so at this moment, SQLite does not wait by itself."""
    end = time.monotonic() + BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(PAUSE)
        else:
            return


def _settle(promises: list[asyncio.Future[None]], error: ResourceError | None) -> None:
    for promise in promises:
        if promise.done():
            continue
        if error is None:
            promise.set_result(None)
        else:
            promise.set_exception(error)
