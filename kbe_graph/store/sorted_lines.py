"""Lines in order, also where they are more than fit in memory: sorted in parts, which are merged as they are read."""

import gzip
import heapq
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Self

MOST = 64 << 20  # bytes that are held in memory
OBJECT = 41  # bytes that a line takes beside its text
_END = b"\0"  # of a key; no line of JSON holds it


class SortedLines:
    """Takes lines of JSON, each under a key, and gives them in the order of their keys, then of the lines.

    What is more than ``most`` bytes lies meanwhile in files of ``folder`` (None: the system's) that have no name:
    nothing is left of them, however the process ends. Use it with ``with``. Raises OSError where there is no room.
    """

    def __init__(self, folder: Path | None, most: int = MOST) -> None:
        self._folder, self._most = folder, most
        self._lines: list[bytes] = []
        self._size = 0
        self._parts: list[IO[bytes]] = []
        self._files = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def add(self, key: bytes, line: bytes) -> None:
        """Take a line, which ends with a newline."""
        self._lines.append(key + _END + line)
        self._size += len(self._lines[-1]) + OBJECT
        if self._size > self._most:
            self._put_aside()

    def __iter__(self) -> Iterator[bytes]:
        """Give the lines, once."""
        self._lines.sort()
        parts = [gzip.GzipFile(fileobj=part) for part in self._parts]
        for line in heapq.merge(self._lines, *parts) if parts else self._lines:
            yield line.partition(_END)[2]

    def _put_aside(self) -> None:
        part = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - it is open until all is given
        self._files.enter_context(part)
        with gzip.GzipFile(fileobj=part, mode="wb", compresslevel=1) as packed:
            packed.writelines(sorted(self._lines))
        part.seek(0)
        self._parts.append(part)
        self._lines, self._size = [], 0
