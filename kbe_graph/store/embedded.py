"""Life cycle of the embedded engine (ArcadeDB) in a separate process: on demand, warm for a while, or kept up.

The engine comes with the package and brings its own Java runtime. It is spawned, never forked: a Java runtime does not
survive a fork.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kbe_graph.errors import StoreError
from kbe_graph.files.whole import OTHERS, private_file
from kbe_graph.secret import is_telling
from kbe_graph.store.address import Address
from kbe_graph.store.engine_files import LOG, EngineRecord, EngineUsers, has_full_disk, last_complaint, running
from kbe_graph.store.engine_process import BUSY, DATABASE, PASSWORD_FILE, READER, USERNAME, reader_password

START_LIMIT = 60.0
STOP_LIMIT = 60.0
COMMAND_LIMIT = 300.0
PORT_TAKEN = ("Error starting plugin", "Unable to listen to a HTTP port")  # logged when either port is taken


@contextmanager
def on_demand(
    directory: Path, *, timeout: float = COMMAND_LIMIT, warm: float = 0, long_work: bool = False
) -> Iterator[Address]:
    """Yield the address of a folder's engine, starting one if none is running.

    ``timeout`` limits each statement, in seconds. A new engine stays up for ``warm`` seconds after its last user; with
    0 it stops on exit, or with this process. ``long_work`` lets Java optimise its code further. Users of an engine that
    others may share must register first (``use_engine``). Raises StoreError if another process has exclusive use of the
    graph, or if the engine does not start.
    """
    make_folder(directory)
    options = ["--timeout", str(timeout), *(["--long-work"] if long_work else [])]
    if record := _usable(directory):
        yield _address(directory, record)
    elif warm:
        yield _start_warm(directory, ["--warm", str(warm), *options])
    else:
        with _ours(directory, options) as address:
            yield address


@contextmanager
def _ours(directory: Path, options: list[str]) -> Iterator[Address]:
    process, record = _spawn_again(directory, options, stdin=subprocess.PIPE)
    try:
        yield _address(directory, record)
    finally:
        _close(process)


def _start_warm(directory: Path, options: list[str]) -> Address:
    """Start a shared engine, or use the one that another process started first."""
    try:
        return _start(directory, options)
    except StoreError as error:
        if not (error.retryable and (record := _usable(directory))):
            raise
    return _address(directory, record)


def _start(directory: Path, options: list[str]) -> Address:
    """Start an engine that outlives this process."""
    process, record = _spawn_again(directory, options, stdin=subprocess.DEVNULL)
    process.returncode = 0  # not to be waited for by this process
    return _address(directory, record)


def _spawn_again(directory: Path, options: list[str], *, stdin: int) -> "tuple[subprocess.Popen[bytes], EngineRecord]":
    """Spawn an engine, with one retry.

    The first attempt can fail because another program took the port in the meantime, or because of an engine whose user
    was killed before it was up; the retry waits until that engine is gone.
    """
    try:
        return _spawn_ready(directory, options, stdin=stdin)
    except StoreError as error:
        gone = error.retryable and _usable(directory) is None
        complaint = last_complaint(directory)
        if not gone and not any(words in complaint for words in PORT_TAKEN):
            raise
    return _spawn_ready(directory, options, stdin=stdin)


def _spawn_ready(directory: Path, options: list[str], *, stdin: int) -> "tuple[subprocess.Popen[bytes], EngineRecord]":
    process = _spawn(directory, options, stdin=stdin)
    try:
        return process, _ready(directory, process)
    except (KeyboardInterrupt, SystemExit):  # Ctrl+C, or a signal that ends the program
        _close(process)
        raise


def start(directory: Path, *, port: int = 0, timeout: float = COMMAND_LIMIT) -> Address:
    """Start an engine that stays up until ``stop``, on ``port`` or a free one; reuse one that is already kept up.

    Raises StoreError.
    """
    make_folder(directory)
    stop_warm(directory)
    if record := _usable(directory):
        return _address(directory, record)
    return _start(directory, ["--keep", "--long-work", "--port", str(port), "--timeout", str(timeout)])


def stop(directory: Path) -> bool:
    """Stop the folder's warm or kept-up engine; return False if none is running. Raises StoreError."""
    record = running(directory)
    if record is None:
        return False
    with ExitStack() as stack:
        if not record.kept_up and not (record.warm and stack.enter_context(EngineUsers(directory)).gone_for(0)):
            raise _in_use(directory, record)
        with suppress(ProcessLookupError):
            os.kill(record.pid, signal.SIGTERM)
        if ends_within(directory, record.pid, STOP_LIMIT):
            return True
    raise StoreError(f"the engine (process {record.pid}) does not stop; see {str(directory / LOG)!r}, then kill it")


def stop_warm(directory: Path) -> None:
    """Stop a warm engine, but not one that is kept up; raises StoreError if it is in use."""
    record = running(directory)
    if record and record.warm:
        stop(directory)


def ends_within(directory: Path, pid: int, limit: float) -> bool:
    """Wait up to ``limit`` seconds for the folder's engine process to end; return True if it did."""
    end = time.monotonic() + limit
    while (runs := (record := running(directory)) is not None and record.pid == pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not runs


def url(directory: Path) -> Address | None:
    """Return the address of the kept-up engine, or None if there is none."""
    record = running(directory)
    return _address(directory, record) if record and record.kept_up and record.bolt_port else None


def make_folder(directory: Path) -> None:
    """Create the folder of an engine; raises StoreError."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_keep(directory, error) from None


def _cannot_keep(directory: Path, error: OSError) -> StoreError:
    return StoreError(f"cannot keep a graph in {str(directory)!r}: {error.strerror}; choose another folder")


def _usable(directory: Path) -> EngineRecord | None:
    """Return the folder's shared engine; wait for one that is starting, or for an exclusive one whose user is gone."""
    end = time.monotonic() + START_LIMIT
    while record := running(directory):
        if record.outlives and record.bolt_port:
            return record
        if time.monotonic() > end or (not record.outlives and record.user > 0 and _alive(record.user)):
            raise _in_use(directory, record)
        time.sleep(0.05)
    return None


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _in_use(directory: Path, record: EngineRecord) -> StoreError:
    user = "another command" if record.outlives else f"process {record.user if record.user > 0 else record.pid}"
    return StoreError(
        f"the graph in {str(directory)!r} is in use by {user}; "
        "wait for it to end, or start an engine that all can share with `work.graph.engine.start()`",
        retryable=True,
    )


def _spawn(directory: Path, options: list[str], *, stdin: int) -> "subprocess.Popen[bytes]":
    module = ["-P", "-m", "kbe_graph.store.engine_process"]
    command = [sys.executable, *module, str(directory.absolute()), "--user", str(os.getpid()), *options]
    environ = {name: value for name, value in os.environ.items() if not is_telling(name)}  # it must not keep API keys
    with _open_log(directory) as log:
        # a new session: Ctrl+C is for the user's process, which finishes its work before it stops the engine
        return subprocess.Popen(  # noqa: S603 - our own module
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=log, start_new_session=True, env=environ, umask=OTHERS
        )


def _open_log(directory: Path) -> BinaryIO:
    try:
        return private_file(directory / LOG).open("wb")
    except OSError as error:
        raise _cannot_keep(directory, error) from None


def _ready(directory: Path, process: "subprocess.Popen[bytes]") -> EngineRecord:
    said = _first_line(process)
    if not said:
        _close(process)
        raise _not_started(directory)
    message = json.loads(said)
    if "error" in message:
        _close(process)
        raise _refused(directory, message["error"])
    return EngineRecord(process.pid, os.getpid(), int(message["bolt_port"]))


def _refused(directory: Path, reason: str) -> StoreError:
    if reason == BUSY:
        return _in_use(directory, running(directory) or EngineRecord(pid=0, user=-1))
    return StoreError(f"the embedded engine did not start: {reason}")


def _first_line(process: "subprocess.Popen[bytes]") -> bytes:
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    with process.stdout as stream:
        readable, _, _ = select.select([stream], [], [], START_LIMIT)
        return stream.readline() if readable else b""


def _not_started(directory: Path) -> StoreError:
    if has_full_disk(directory):
        return StoreError(f"the disk of {str(directory)!r} is full; make room, then run the same command again")
    complaint = last_complaint(directory)
    why = f" ({complaint})" if complaint else ""
    return StoreError(f"the embedded engine did not start; its log is {str(directory / LOG)!r}{why}")


def _close(process: "subprocess.Popen[bytes]") -> None:
    """Let the engine shut down cleanly; kill it if it does not."""
    if process.stdin is not None:
        with suppress(BrokenPipeError):
            process.stdin.close()
    else:
        process.terminate()
    try:
        process.wait(STOP_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _address(directory: Path, record: EngineRecord) -> Address:
    try:
        password = (directory / PASSWORD_FILE).read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"the password of the engine cannot be read ({str(directory / PASSWORD_FILE)!r}: {error.strerror}); "
            "stop the engine with `work.graph.engine.stop()`, then run the same command again"
        ) from None
    return Address(record.uri, USERNAME, password, DATABASE, READER, reader_password(password))
