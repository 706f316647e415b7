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
from kbe_graph.files.database import Database

BUSY = 60.0  # seconds to wait while another process writes
PAUSE = 0.01  # seconds between looks whether it still does


class SqlWrite(NamedTuple):
    """A statement and its parameters."""

    statement: str
    values: tuple[Any, ...]


class Writer:
    """One connection that writes, one transaction at a time, from the loop's thread or its own."""

    def __init__(self, file: Path) -> None:
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
        with self._writing, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            for row in rows:
                self._connection.execute(row.statement, row.values)

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


def connect(file: Path) -> Database:
    """Return a connection in WAL mode, each of whose statements stands alone; raises ResourceError."""
    database = Database(file, timeout=BUSY, isolation_level=None, check_same_thread=False)
    _write_ahead(database)
    database.execute("PRAGMA synchronous=NORMAL")
    return database


def _write_ahead(database: Database) -> None:
    """Switch to WAL mode; where another process does so at this moment, SQLite does not wait by itself."""
    end = time.monotonic() + BUSY
    while True:
        try:
            database.execute("PRAGMA journal_mode=WAL")
        except ResourceError as error:
            if getattr(error.__cause__, "sqlite_errorcode", 0) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
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
