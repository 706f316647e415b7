"""The files of an embedded engine: its record and locks, and its log.

The engine process holds a lock on ``engine.json`` as long as it lives, so a record that nobody holds is stale by
itself, and no process id needs to be trusted. Whoever uses the engine shares a lock on ``engine.users``; an engine that
ends for want of users holds it alone, so that the next user waits for the end and starts another. The log tells of a
full disk where the engine only says that a statement failed.
"""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

FILE = "engine.json"
USERS = "engine.users"
LOG = "engine.log"
TAIL = 65_536
ROOM = 1 << 20  # the engine writes pages of up to 256 KiB, several at a time
FULL = ("no space left on device", "disk full", "disk quota exceeded")
_AT_WORK, _LEFT = b"1", b"0"  # what the file of the users holds


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """A running engine: its process, the one that started it (0 where it is kept up), and its loopback ports.

    ``warm`` is how many seconds it stays up for the next user when the last one is gone. ``long_work`` says that its
    code is compiled further, which pays where thousands of samples come.
    """

    pid: int
    user: int
    bolt_port: int = 0
    http_port: int = 0
    warm: float = 0.0
    long_work: bool = False

    @property
    def kept_up(self) -> bool:
        """Whether the engine stays up until it is stopped."""
        return self.user == 0

    @property
    def outlives(self) -> bool:
        """Whether the engine outlives who started it, and may be used by anybody."""
        return self.kept_up or self.warm > 0

    @property
    def uri(self) -> str:
        """The address for a driver."""
        return f"bolt://127.0.0.1:{self.bolt_port}"


class EngineLock:
    """The lock file of a workspace, held from ``take`` to the end of the process."""

    def __init__(self, directory: Path) -> None:
        self._file = directory.absolute() / FILE
        self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self) -> bool:
        """Take the lock; return False where another process holds it."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def write(self, record: EngineRecord) -> None:
        """Write the record of the running engine; only for the holder."""
        text = json.dumps(asdict(record)).encode()
        os.pwrite(self._descriptor, text, 0)
        os.ftruncate(self._descriptor, len(text))

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still where it was taken: its folder may have been deleted, or moved."""
        try:
            return os.path.samestat(self._file.stat(), os.fstat(self._descriptor))
        except OSError:
            return False


class EngineUsers:
    """The lock that the users of an engine share; use it with ``with``, at whose end it is given up."""

    def __init__(self, directory: Path) -> None:
        self._descriptor = os.open(directory / USERS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._last_use = (0, 0.0)  # as the file tells it, and when that was first seen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Give the lock up."""
        os.close(self._descriptor)

    @contextmanager
    def joined(self, patience: float) -> Iterator[bool]:
        """Be a user; give whether the one before was killed, so that the engine may still run its statements.

        An engine that is about to end is waited for, at most ``patience`` seconds; raises TimeoutError.
        """
        abandoned = self._take(fcntl.LOCK_EX) and os.pread(self._descriptor, 1, 0) == _AT_WORK
        end = time.monotonic() + patience
        while not self._take(fcntl.LOCK_SH):
            if time.monotonic() > end:
                raise TimeoutError
            time.sleep(0.02)
        os.pwrite(self._descriptor, _AT_WORK, 0)
        yield abandoned
        if self._take(fcntl.LOCK_EX):
            os.pwrite(self._descriptor, _LEFT, 0)
        os.utime(self._descriptor)

    def gone_for(self, seconds: float) -> bool:
        """Return True if nobody has used the engine for so long, while this was asked; from then on nobody can join.

        A clock that was set does not matter.
        """
        if not self._take(fcntl.LOCK_EX):
            return False
        used = os.fstat(self._descriptor).st_mtime_ns
        if used != self._last_use[0]:
            self._last_use = used, time.monotonic()
        if time.monotonic() - self._last_use[1] >= seconds:
            return True
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        return False

    def _take(self, kind: int) -> bool:
        try:
            fcntl.flock(self._descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def running(directory: Path) -> EngineRecord | None:
    """Return the engine that runs on the folder now, None if none does; ports are 0 while it starts."""
    try:
        descriptor = os.open(directory / FILE, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(os.pread(descriptor, 4096, 0))
    finally:
        os.close(descriptor)
    return None


def _read(text: bytes) -> EngineRecord:
    try:
        return EngineRecord(**json.loads(text))
    except ValueError:
        return EngineRecord(pid=0, user=-1)


def has_full_disk(directory: Path) -> bool:
    """Return True if the disk of an engine's folder is full, or was when the engine last complained."""
    try:
        free = shutil.disk_usage(directory).free
    except OSError:
        free = ROOM
    return free < ROOM or any(sign in _tail(directory).lower() for sign in FULL)


def last_complaint(directory: Path) -> str:
    """Return the last line of the log that names an error, else an empty text."""
    lines = [line.strip() for line in _tail(directory).splitlines() if "Error" in line or "Exception" in line]
    return lines[-1][:200] if lines else ""


def _tail(directory: Path) -> str:
    try:
        with (directory / LOG).open("rb") as stream:
            stream.seek(max(0, stream.seek(0, 2) - TAIL))
            return stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
