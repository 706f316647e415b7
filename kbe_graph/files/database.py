"""SQLite files whose errors name the file and the remedy in one line."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from kbe_graph.errors import ResourceError
from kbe_graph.files.whole import private_file

_WAYS = {
    sqlite3.SQLITE_FULL: "make room on the disk, then run the same command again",
    sqlite3.SQLITE_IOERR: "check that the disk has room, and that the file can be read and written",
    sqlite3.SQLITE_READONLY: "make it writable",
    sqlite3.SQLITE_BUSY: "wait for the other command that uses it to finish",
    sqlite3.SQLITE_LOCKED: "wait for the other command that uses it to finish",
    sqlite3.SQLITE_NOTADB: "move it away",
    sqlite3.SQLITE_CORRUPT: "it is damaged; move it away",
}
_PRIMARY = 0xFF  # the lowest byte of an error code is the primary code


class Database(sqlite3.Connection):
    """A SQLite file; SQLite's errors are raised as ResourceError, with the original error as cause.

    The file, and those that SQLite creates beside it, are accessible only to their owner.
    """

    def __init__(self, file: Path, **options: Any) -> None:
        self.file = file
        try:
            private_file(file)
        except OSError as error:
            raise ResourceError(f"cannot use {str(file)!r} ({error.strerror}); choose another place") from error
        with self.faults():
            super().__init__(file, **options)

    def execute(self, statement: str, values: Any = (), /) -> "_Cursor":
        """Run a statement and return its cursor."""
        with self.faults():
            cursor = self.cursor(_Cursor)
            cursor.execute(statement, values)
        return cursor

    def executemany(self, statement: str, values: Iterable[Any], /) -> "_Cursor":
        """Run a statement once for each item of ``values``."""
        with self.faults():
            cursor = self.cursor(_Cursor)
            cursor.executemany(statement, values)
        return cursor

    def executescript(self, script: str, /) -> "_Cursor":
        """Run several statements."""
        with self.faults():
            cursor = self.cursor(_Cursor)
            cursor.executescript(script)
        return cursor

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        with self.faults():
            return super().__exit__(kind, error, trace)

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Raise SQLite errors within the context as ResourceError."""
        try:
            yield
        except sqlite3.Error as error:
            way = _WAYS.get(getattr(error, "sqlite_errorcode", 0) & _PRIMARY, "it may be damaged; if so, move it away")
            raise ResourceError(f"cannot use {str(self.file)!r} ({error}); {way}") from error


class _Cursor(sqlite3.Cursor):
    """A cursor of a ``Database``."""

    connection: Database

    def fetchone(self) -> Any:
        with self.connection.faults():
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with self.connection.faults():
            return super().fetchall()

    def __next__(self) -> Any:
        with self.connection.faults():
            return super().__next__()
