"""The process of the embedded engine: ``python -m kbe_graph.store.engine_process DIRECTORY``.

It serves Bolt on the loopback interface, prints its port to standard output as one line of JSON, and stops on SIGTERM.
Unless it is kept up, it also stops by itself: if its standard input closes, so that it does not outlive its user, even
a killed one; or, if it is warm, once it has been idle for long enough or its folder has moved.
"""

import argparse
import hashlib
import json
import os
import secrets
import signal
import socket
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from kbe_graph.store.class_archive import ClassArchive, engine_archive
from kbe_graph.store.engine_files import EngineLock, EngineRecord, EngineUsers

DATABASE = "kbe"
GRAPH = "graph"  # the folder of its files
USERNAME = "root"
READER = "reader"  # the user that queries log in as, to whom the engine grants only read access
ALL_TYPES = "*"
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
BUSY = "in use"
PATIENCE = 2.0
SALT_ITERATIONS = 1_000  # high counts protect short passwords but slow logins; these have 192 random bits
LOOK = 0.2  # seconds between two checks for users


def main() -> None:
    """Run the engine until it is no longer needed."""
    arguments = _arguments()
    answer = os.dup(1)
    os.dup2(2, 1)
    lock = EngineLock(arguments.directory)
    if not _take(lock):
        _say(answer, {"error": BUSY})
        return
    if arguments.port and not _free(arguments.port):
        _say(answer, {"error": f"port {arguments.port} is in use by another program; choose another port"})
        return
    user = 0 if arguments.keep else arguments.user
    record = EngineRecord(os.getpid(), user, warm=arguments.warm, long_work=arguments.long_work)
    lock.write(record)
    archive = engine_archive()
    server, record = _serve(arguments, record, archive)
    try:
        lock.write(record)
        _say(answer, {"bolt_port": record.bolt_port})
        _wait(arguments, lock)
    finally:
        server.stop()
    if archive is not None:
        _make_archive(archive)
    os._exit(0)  # a regular Java shutdown would take seconds, with nothing left to do


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--user", type=int, required=True)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--long-work", action="store_true")
    parser.add_argument("--warm", type=float, default=0.0)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--heap", default="2g")
    return parser.parse_args()


def _take(lock: EngineLock) -> bool:
    """Take the lock, retrying briefly, as other processes hold it for a moment to read the record."""
    end = time.monotonic() + PATIENCE
    while not (taken := lock.take()) and time.monotonic() < end:
        time.sleep(0.05)
    return taken


def _say(answer: int, message: dict[str, Any]) -> None:
    with suppress(BrokenPipeError), os.fdopen(answer, "w") as stream:
        stream.write(json.dumps(message) + "\n")


def _serve(
    arguments: argparse.Namespace, record: EngineRecord, archive: ClassArchive | None
) -> tuple[Any, EngineRecord]:
    from arcadedb_embedded.server import ArcadeDBServer

    root = arguments.directory.absolute() / GRAPH
    root.mkdir(exist_ok=True)
    os.chdir(root)  # the engine creates a folder ``log`` in its working directory
    password = _new_password(arguments.directory.absolute(), root)
    _write_groups(root)
    bolt_port, http_port = arguments.port or free_port(), free_port()
    server = ArcadeDBServer(
        str(root),
        password,
        {
            "host": "127.0.0.1",
            "http_port": str(http_port),
            "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "bolt_port": str(bolt_port),
        },
        {"heap_size": arguments.heap, "jvm_args": [*_settings(arguments), *(archive.options() if archive else [])]},
    )
    server.start()
    _make_database(server)
    _make_reader(server, password)
    return server, replace(record, bolt_port=bolt_port, http_port=http_port)


def _make_database(server: Any) -> None:
    """Create the database if it does not exist; recreate it if it is completely empty.

    If the disk was full while the first indexes were created, the leftover files make an index look complete although
    it finds nothing; a graph that was fully created contains at least its schema record.
    """
    database = server.create_database(DATABASE)
    types = [row.get("name") for row in database.query("sql", "SELECT name FROM schema:types")]
    if types and not any(list(database.query("sql", f"SELECT FROM `{name}` LIMIT 1")) for name in types):
        database.get_java_database().getEmbedded().drop()
        server._java_server.removeDatabase(DATABASE)  # noqa: SLF001 - the package has no other way
        server.create_database(DATABASE)


def _settings(arguments: argparse.Namespace) -> list[str]:
    """Return the JVM options, including database settings, which the server's own settings cannot set.

    For short commands, Java's second compiler (C2) is disabled: the engine starts in half the time and needs a third
    less CPU time. For long work the compiler pays off.
    """
    return [
        *([] if arguments.long_work else ["-XX:TieredStopAtLevel=1"]),
        f"-Darcadedb.command.timeout={int(arguments.timeout * 1000)}",
        "-Darcadedb.opencypher.loadCsv.allowFileUrls=false",
        "-Darcadedb.opencypher.loadCsv.allowRemoteUrls=false",
        "-Darcadedb.polyglotEngineEnabled=false",
        f"-Darcadedb.server.saltIterations={SALT_ITERATIONS}",
    ]


def _make_archive(archive: ClassArchive) -> None:
    """Make the class archive with the options and class path of this engine."""
    if archive.classes.exists():
        from jpype import JClass

        runtime = JClass("java.lang.management.ManagementFactory").getRuntimeMXBean()
        archive.make(str(runtime.getClassPath()), [str(option) for option in runtime.getInputArguments()])


def _new_password(directory: Path, root: Path) -> str:
    """Create a random password in a file that only this user can read; the engine recreates its root user with it."""
    (root / "config" / "server-users.jsonl").unlink(missing_ok=True)
    password = secrets.token_urlsafe(24)
    file = directory / PASSWORD_FILE
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(password)
    return password


def reader_password(password: str) -> str:
    """Derive the read-only user's password from the owner's; the derivation cannot be reversed."""
    return hashlib.sha256(f"{READER} {password}".encode()).hexdigest()


def _write_groups(root: Path) -> None:
    groups = {
        name: {
            "resultSetLimit": -1,
            "readTimeout": -1,
            "access": access,
            "types": {ALL_TYPES: {"access": records}},
        }
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


def free_port() -> int:
    """Return a loopback port that is currently free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return True
    return False


def _wait(arguments: argparse.Namespace, lock: EngineLock) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with suppress(SystemExit):
        while arguments.keep:
            time.sleep(LOOK)  # not pause(): a signal that arrives just before it would be missed
        if arguments.warm:
            _wait_for_users(EngineUsers(arguments.directory.absolute()), lock, arguments.warm)
        else:
            sys.stdin.buffer.read()


def _wait_for_users(users: EngineUsers, lock: EngineLock, warm: float) -> None:
    while not users.gone_for(warm):
        if not lock.is_in_place:
            os._exit(0)  # write nothing: another graph may be in this place by now
        time.sleep(LOOK)


if __name__ == "__main__":
    main()
