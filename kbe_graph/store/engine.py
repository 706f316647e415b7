"""The embedded engine (ArcadeDB) of a folder: one detached process that all commands share, and that stops when idle.

The engine holds a lock on ``engine.json`` for its lifetime, so a record that nobody locks is stale, and no process id
needs to be trusted. The users of the engine share a lock on ``engine.users``; who stops the engine, or the engine that
stops for lack of users, holds that lock alone, so that the next user waits for the end and starts another engine.
"""

import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import StoreError
from kbe_graph.files.whole import private_file
from kbe_graph.secret import is_telling
from kbe_graph.store.address import Address
from kbe_graph.store.engine_process import (
    DATABASE,
    LOOK,
    PASSWORD_FILE,
    READER,
    RECORD,
    USERNAME,
    USERS,
    locked,
    reader_password,
    within,
)

LOG = "engine.log"
TAIL = 65_536
ROOM = 1 << 20  # the engine writes pages of up to 256 KiB, several at a time
FULL = ("no space left on device", "disk full", "disk quota exceeded")
TAKEN = ("unable to listen", "address already in use")
TRIES = 3
LIMIT = 60.0  # seconds of a start and of a stop
COMMAND_LIMIT = 300.0  # seconds of a statement


class EngineRecord(NamedTuple):
    """A running engine: its process and its loopback ports, which are 0 while it starts.

    ``warm`` is how many seconds it stays up after its last user leaves, None if it is kept up until it is stopped.
    """

    pid: int = 0
    bolt_port: int = 0
    http_port: int = 0
    warm: float | None = 0.0

    @property
    def kept_up(self) -> bool:
        """Whether the engine stays up until it is stopped."""
        return self.warm is None


@contextmanager
def use_engine(directory: Path, *, timeout: float = COMMAND_LIMIT, warm: float = 0) -> Iterator[Address]:
    """Yield the address of a folder's engine, starting one if none is running, and register as its user.

    ``timeout`` limits each statement of a new engine, in seconds; it stays up for ``warm`` seconds after its last user.
    After a full disk the engine does not stay up. Raises StoreError.
    """
    with _users(directory) as users:
        if not within(LIMIT, lambda: locked(users, fcntl.LOCK_SH)):
            raise StoreError(f"the engine of {str(directory)!r} does not stop; see {str(directory / LOG)!r}")
        record = _started(directory) or _start(directory, warm=warm, timeout=timeout)
        yield _address(directory, record)
    if record.warm == 0 or (has_full_disk(directory) and not record.kept_up):
        with suppress(StoreError):  # others use it
            stop(directory)


def start(directory: Path, *, port: int = 0) -> Address:
    """Start an engine that stays up until ``stop``, on ``port`` or a free one; reuse one that is already kept up.

    Raises StoreError.
    """
    record = running(directory)
    if record is None or not record.kept_up:
        stop(directory)
        record = _start(directory, port=port, timeout=COMMAND_LIMIT)
    return _address(directory, record)


def stop(directory: Path) -> bool:
    """Stop the folder's engine; return False if none is running. Raises StoreError, also where others use it."""
    with _users(directory) as users:
        record = running(directory)
        if record is None:
            return False
        unused = record.kept_up or within(2 * LOOK, lambda: locked(users, fcntl.LOCK_EX))
        if not unused and locked(users, fcntl.LOCK_SH) and running(directory):  # not an engine that is stopping itself
            raise StoreError(f"the graph in {str(directory)!r} is in use by another command; wait for it to end")
        _end(directory, record, signal.SIGTERM)
    return True


def halt_engine(directory: Path) -> None:
    """Kill the engine of a folder, which cannot stop a query; one that is kept up is started anew on its port."""
    if record := running(directory):
        _end(directory, record, signal.SIGKILL)
        if record.kept_up:
            start(directory, port=record.bolt_port)


def _end(directory: Path, record: EngineRecord, sign: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(record.pid, sign)
    if not within(LIMIT, lambda: (now := running(directory)) is None or now.pid != record.pid):
        raise StoreError(f"the engine (process {record.pid}) does not stop; see {str(directory / LOG)!r}, then kill it")


def url(directory: Path) -> Address | None:
    """Return the address of the kept-up engine, or None if there is none."""
    record = running(directory)
    return _address(directory, record) if record and record.kept_up and record.bolt_port else None


def running(directory: Path) -> EngineRecord | None:
    """Return the engine that is running on the folder, or None."""
    try:
        with (directory / RECORD).open("rb") as file:
            return None if locked(file.fileno(), fcntl.LOCK_SH) else EngineRecord(**json.loads(file.read()))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (TypeError, ValueError):  # not yet written
        return EngineRecord()


def has_full_disk(directory: Path) -> bool:
    """Return True if the disk of an engine's folder is full, or the tail of its log says that it was."""
    try:
        free = shutil.disk_usage(directory).free
    except OSError:
        free = ROOM
    return free < ROOM or _says(directory, FULL)


@contextmanager
def _users(directory: Path) -> Iterator[int]:
    """Make the folder of an engine, and open the lock file of its users; leaving releases the lock."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(directory / USERS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(
            f"cannot keep a graph in {str(directory)!r}: {error.strerror}; choose another folder"
        ) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _started(directory: Path) -> EngineRecord | None:
    if not within(LIMIT, lambda: (now := running(directory)) is None or now.bolt_port):
        raise _not_started(directory)
    return running(directory)


def _start(directory: Path, **options: float) -> EngineRecord:
    """Start an engine that outlives this process, or return the one that another process started first."""
    for _ in range(TRIES):
        _spawn(directory, options)
        if record := _started(directory):
            return record
        if not _says(directory, TAKEN):  # another program may take a free port while the engine starts
            break
    raise _not_started(directory)


def _spawn(directory: Path, options: dict[str, float]) -> None:
    """Start an engine, and wait until it answers or ends."""
    given = (str(directory.absolute()), json.dumps(options))
    with private_file(directory / LOG).open("ab" if running(directory) else "wb") as log:
        # a new session: Ctrl+C is for the user's process; spawned, as a Java runtime does not survive a fork
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-m", "kbe_graph.store.engine_process", *given],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if not is_telling(name)},  # it must keep no API keys
            umask=0o077,
        )
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    answer = b""
    try:
        with process.stdout as stream:
            answer = stream.readline() if select.select([stream], [], [], LIMIT)[0] else b""
    finally:
        if not answer:  # also on Ctrl+C
            process.kill()
            process.wait()
    process.returncode = 0  # not to be waited for by this process


def _not_started(directory: Path) -> StoreError:
    if has_full_disk(directory):
        return StoreError(f"the disk of {str(directory)!r} is full; make room, then run the same command again")
    lines = [line.strip() for line in _tail(directory).splitlines() if "Error" in line or "Exception" in line]
    why = f" ({lines[-1][:200]})" if lines else ""
    return StoreError(f"the embedded engine did not start; its log is {str(directory / LOG)!r}{why}")


def _says(directory: Path, signs: tuple[str, ...]) -> bool:
    tail = _tail(directory).lower()
    return any(sign in tail for sign in signs)


def _tail(directory: Path) -> str:
    try:
        with (directory / LOG).open("rb") as stream:
            stream.seek(max(0, stream.seek(0, 2) - TAIL))
            return stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ""


def _address(directory: Path, record: EngineRecord) -> Address:
    try:
        password = (directory / PASSWORD_FILE).read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"the password of the engine cannot be read ({str(directory / PASSWORD_FILE)!r}: {error.strerror}); "
            "stop the engine, then run the same command again"
        ) from None
    uri = f"bolt://127.0.0.1:{record.bolt_port}"
    return Address(uri, USERNAME, password, DATABASE, READER, reader_password(password))
