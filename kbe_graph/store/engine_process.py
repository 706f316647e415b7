"""The process of the embedded engine: ``python -m kbe_graph.store.engine_process DIRECTORY OPTIONS``.

It serves Bolt on the loopback interface, prints a line to standard output once it does, and stops on SIGTERM. Unless it
is kept up, it also stops by itself: once it has had no user for long enough, or its folder has moved.
"""

import fcntl
import hashlib
import json
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

RECORD = "engine.json"
USERS = "engine.users"
DATABASE = "kbe"
GRAPH = "graph"  # the folder of its files
USERNAME = "root"
READER = "reader"  # the user that queries log in as, to whom the engine grants only read access
GROUPS = {
    "admin": (
        ["updateSecurity", "updateSchema", "updateDatabaseSettings"],
        ["createRecord", "readRecord", "updateRecord", "deleteRecord"],
    ),
    "readers": ([], ["readRecord"]),
    "*": ([], []),
}
"""The rights of each group: on the database, and on records of any type."""
PASSWORD_FILE = "engine.password"  # noqa: S105 - the name of the file
PATIENCE = 2.0
SALT_ITERATIONS = 1_000  # high counts protect short passwords but slow logins; these have 192 random bits
LOOK = 0.2  # seconds between two checks for users


def main() -> None:
    """Run the engine until it is no longer needed.

    The second argument is JSON: ``timeout``, the limit of a statement in seconds, ``warm``, how long to stay up without
    users (None: always), and ``port``.
    """
    directory, options = Path(sys.argv[1]), json.loads(sys.argv[2])
    answer = os.dup(1)
    os.dup2(2, 1)
    lock = os.open(directory / RECORD, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if not within(PATIENCE, lambda: locked(lock, fcntl.LOCK_EX)):
        return  # another engine is running
    os.ftruncate(lock, 0)
    port, warm = options.get("port", 0), options.get("warm")
    try:
        ports = {"bolt_port": free_port(port), "http_port": free_port()}
    except OSError:
        sys.exit(f"Error: port {port} is used by another program; choose another port")
    server = _serve(directory, options["timeout"], **ports)
    try:
        os.pwrite(lock, json.dumps({"pid": os.getpid(), "warm": warm} | ports).encode(), 0)
        with suppress(BrokenPipeError):
            os.write(answer, b"ready\n")
        os.close(answer)
        _wait(directory, warm, lock)
    finally:
        server.stop()
    os._exit(0)  # a regular Java shutdown would take seconds, with nothing left to do


def _serve(directory: Path, timeout: float, *, bolt_port: int, http_port: int) -> Any:
    from arcadedb_embedded.server import ArcadeDBServer

    root = directory / GRAPH
    root.mkdir(exist_ok=True)
    os.chdir(root)  # the engine creates a folder ``log`` in its working directory
    (root / "config" / "server-users.jsonl").unlink(missing_ok=True)
    password = secrets.token_urlsafe(24)
    (directory / PASSWORD_FILE).unlink(missing_ok=True)
    (directory / PASSWORD_FILE).write_text(password, encoding="utf-8")  # only its owner's, by the umask
    _write_groups(root)
    settings = [
        f"-Darcadedb.command.timeout={int(timeout * 1000)}",
        "-Darcadedb.opencypher.loadCsv.allowFileUrls=false",
        "-Darcadedb.opencypher.loadCsv.allowRemoteUrls=false",
        "-Darcadedb.polyglotEngineEnabled=false",
        f"-Darcadedb.server.saltIterations={SALT_ITERATIONS}",
    ]
    bolt = {"server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin", "bolt_port": str(bolt_port)}
    ports = {"host": "127.0.0.1", "http_port": str(http_port), **bolt}
    server = ArcadeDBServer(str(root), password, ports, {"heap_size": "2g", "jvm_args": settings})
    server.start()
    server.create_database(DATABASE)
    _make_reader(server, password)
    return server


def reader_password(password: str) -> str:
    """Derive the read-only user's password from the owner's; the derivation cannot be reversed."""
    return hashlib.sha256(f"{READER} {password}".encode()).hexdigest()


def _write_groups(root: Path) -> None:
    limits = {"resultSetLimit": -1, "readTimeout": -1}
    groups = {
        name: limits | {"access": access, "types": {"*": {"access": records}}}
        for name, (access, records) in GROUPS.items()
    }
    (root / "config").mkdir(exist_ok=True)
    text = json.dumps({"databases": {"*": {"groups": groups}}, "version": 2})
    (root / "config" / "server-groups.json").write_text(text, encoding="utf-8")


def _make_reader(server: Any, password: str) -> None:
    from jpype import JClass

    security = server._java_server.getSecurity()  # noqa: SLF001 - the package has no other way
    encoded = str(security.encodePassword(reader_password(password)))
    user = {"name": READER, "password": encoded, "databases": {DATABASE: ["readers"]}}
    security.createUser(JClass("com.arcadedb.serializer.json.JSONObject")(json.dumps(user)))


def free_port(port: int = 0) -> int:
    """Return a loopback port that is currently free: the given one, or any; raises OSError if it is in use."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(port > 0))
        probe.bind(("127.0.0.1", port))
        number: int = probe.getsockname()[1]
        return number


def locked(descriptor: int, kind: int) -> bool:
    """Take a lock (``fcntl.LOCK_SH`` or ``LOCK_EX``) if it is free; return True if it was."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def within(limit: float, holds: Callable[[], object]) -> bool:
    """Wait up to ``limit`` seconds until something holds; return True if it does."""
    end = time.monotonic() + limit
    while not (held := bool(holds())) and time.monotonic() < end:
        time.sleep(0.02)
    return held


def _wait(directory: Path, warm: float | None, lock: int) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    users = os.open(directory / USERS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    last_use = time.monotonic()
    with suppress(SystemExit):
        while True:
            time.sleep(LOOK)  # not pause(): a signal that arrives just before it would be missed
            if not _is_in_place(directory / RECORD, lock):
                os._exit(0)  # write nothing: another graph may be in this place by now
            if warm is None:
                continue
            if not locked(users, fcntl.LOCK_EX):
                last_use = time.monotonic()
            elif time.monotonic() - last_use > warm:
                return  # with the lock: the next user waits for the end
            else:
                fcntl.flock(users, fcntl.LOCK_UN)


def _is_in_place(file: Path, lock: int) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(lock))
    except OSError:
        return False


if __name__ == "__main__":
    main()
