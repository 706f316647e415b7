"""The lock and record of an embedded engine: who runs it, and where it listens.

The engine process holds a lock on ``engine.json`` as long as it lives, so a record that nobody holds is stale by
itself, and no process id needs to be trusted.
"""

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = "engine.json"


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """A running engine: its process, the one that uses it (0 where it is kept up), and its loopback ports."""

    pid: int
    user: int
    bolt_port: int = 0
    http_port: int = 0

    @property
    def kept_up(self) -> bool:
        """Whether the engine stays up until it is stopped, and may be used by anybody."""
        return self.user == 0

    @property
    def uri(self) -> str:
        """The address for a driver."""
        return f"bolt://127.0.0.1:{self.bolt_port}"


class EngineLock:
    """The lock file of a workspace, held from ``take`` to the end of the process."""

    def __init__(self, directory: Path) -> None:
        self._descriptor = os.open(directory / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self) -> bool:
        """Take the lock; return False where another process holds it."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def write(self, record: EngineRecord) -> None:
        """Write down what runs; only for the holder."""
        text = json.dumps(asdict(record)).encode()
        os.pwrite(self._descriptor, text, 0)
        os.ftruncate(self._descriptor, len(text))


def running(directory: Path) -> EngineRecord | None:
    """Return the engine that runs on the folder now, None where there is none; ports are 0 while it starts."""
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
