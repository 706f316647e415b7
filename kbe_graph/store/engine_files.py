"""Files of an embedded engine: its record, its locks and its log.

The engine process holds a lock on ``engine.json`` for its lifetime, so a record that nobody locks is stale, and no
process id needs to be trusted. The users of the engine share a lock on ``engine.users``; an engine that shuts down for
lack of users locks that file exclusively, so that the next user waits for the end and starts another engine. The log
reveals a full disk where the engine reports only a failed statement.
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
_AT_WORK, _LEFT = b"1", b"0"  # the content of the users file


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """A running engine: its process, the process that started it (0 if kept up), and its loopback ports.

    ``warm`` is how many seconds it stays up after its last user leaves. ``long_work`` means that Java optimises its
    code further, which pays off for thousands of samples.
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
        """Whether the engine outlives the process that started it, and any process may use it."""
        return self.kept_up or self.warm > 0

    @property
    def uri(self) -> str:
        """The Bolt URI."""
        return f"bolt://127.0.0.1:{self.bolt_port}"


class EngineLock:
    """The lock file of a workspace's engine, held from ``take`` to the end of the process."""

    def __init__(self, directory: Path) -> None:
        self._file = directory.absolute() / FILE
        self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self) -> bool:
        """Take the lock; return False if another process holds it."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def write(self, record: EngineRecord) -> None:
        """Write the record of the running engine; only the holder of the lock may do so."""
        text = json.dumps(asdict(record)).encode()
        os.pwrite(self._descriptor, text, 0)
        os.ftruncate(self._descriptor, len(text))

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still at its path: the folder may have been deleted or moved."""
        try:
            return os.path.samestat(self._file.stat(), os.fstat(self._descriptor))
        except OSError:
            return False


class EngineUsers:
    """The lock that the users of an engine share; use as a context manager, which releases it on exit."""

    def __init__(self, directory: Path) -> None:
        self._descriptor = os.open(directory / USERS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._last_use = (0, 0.0)  # modification time of the file, and when it was first seen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Release the lock."""
        os.close(self._descriptor)

    @contextmanager
    def joined(self, patience: float) -> Iterator[bool]:
        """Register as a user; yield True if the previous user was killed, so that its statements may still be running.

        Waits up to ``patience`` seconds for an engine that is shutting down; raises TimeoutError.
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
        """Return True if nobody has used the engine for ``seconds`` of polling; from then on nobody can join.

        Changes to the system clock have no effect.
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
    """Return the engine that is running on the folder, or None; its ports are 0 while it starts."""
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
    """Return True if the disk of an engine's folder is full, or the tail of its log says that it was."""
    try:
        free = shutil.disk_usage(directory).free
    except OSError:
        free = ROOM
    return free < ROOM or any(sign in _tail(directory).lower() for sign in FULL)


def last_complaint(directory: Path) -> str:
    """Return the last line of the log that names an error, or an empty string."""
    lines = [line.strip() for line in _tail(directory).splitlines() if "Error" in line or "Exception" in line]
    return lines[-1][:200] if lines else ""


def _tail(directory: Path) -> str:
    try:
        with (directory / LOG).open("rb") as stream:
            stream.seek(max(0, stream.seek(0, 2) - TAIL))
            return stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
