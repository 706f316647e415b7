"""A real Neo4j Community server without Docker, started from Maven artifacts, for tests and benches.

    python tests/neo4j_server.py install 5.26      fetch the server with mvn (about 150 MB, into .neo4j/)
    python tests/neo4j_server.py start 5.26        start it, print its address and password, leave it running
    python tests/neo4j_server.py stop 5.26

``install`` needs ``mvn``; a server needs Java, 17 for 5.26 and 21 for 2026. Java is looked for in JAVA_HOME, then
/usr/lib/jvm, the path, and the runtime that the embedded engine (arcadedb-embedded) includes, so a machine with only
Maven runs both.
"""

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).resolve().parent.parent / ".neo4j"
START_LIMIT = 120.0
FIRST_PASSWORD = "neo4j"  # noqa: S105 - what a new server has, to be changed at the first login


class Version(NamedTuple):
    """A Neo4j release: its number, the class that starts it, and the oldest Java version that runs it."""

    number: str
    main: str
    java: int


VERSIONS = {
    "5.26": Version("5.26.30", "org.neo4j.server.CommunityEntryPoint", 17),
    "2026": Version("2026.09.0", "org.neo4j.server.Neo4jCommunity", 21),
}
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")  # faster start, slower afterwards: for tests
OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>kbe</groupId><artifactId>neo4j</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
<dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{number}</version></dependency>
<dependency><groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId><version>{number}</version></dependency>
</dependencies></project>
"""
CONF = """server.bolt.listen_address=127.0.0.1:{bolt}
server.http.listen_address=127.0.0.1:{http}
server.http.enabled={browser}
server.https.enabled=false
db.tx_log.preallocate=false
dbms.usage_report.enabled=false
dbms.cypher.min_replan_interval=1h
server.memory.heap.initial_size=256m
server.memory.heap.max_size=1g
server.memory.pagecache.size=256m
"""


class Server(NamedTuple):
    """A running server."""

    uri: str
    username: str
    password: str
    pid: int


class ServerError(RuntimeError):
    """The server is unavailable, for the reason in the message."""


def installed(name: str) -> bool:
    """Return True if the artifacts of a release are installed."""
    return (HOME / name / "complete").exists()


def install(name: str) -> None:
    """Fetch the artifacts of a release with Maven, once."""
    if installed(name):
        return
    if shutil.which("mvn") is None:
        raise ServerError("mvn is not on the path")
    folder = HOME / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:  # the workers of a test session arrive at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not installed(name):
            _fetch(name, folder)


def _fetch(name: str, folder: Path) -> None:
    (folder / "pom.xml").write_text(POM.format(number=VERSIONS[name].number), encoding="utf-8")
    command = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib", "-DincludeScope=runtime"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServerError(f"mvn could not fetch Neo4j {VERSIONS[name].number}: {(done.stdout + done.stderr)[-600:]}")
    (folder / "complete").touch()


def java(oldest: int) -> str:
    """Find a Java that is recent enough; raises ServerError."""
    for candidate in _javas():
        if (version := _java_version(candidate)) and version >= oldest:
            return candidate
    raise ServerError(f"no Java {oldest} or newer; set JAVA_HOME to one")


def _javas() -> list[str]:
    found = [Path(os.environ["JAVA_HOME"]) / "bin" / "java"] if os.environ.get("JAVA_HOME") else []
    found += [Path(path)] if (path := shutil.which("java")) else []
    found += sorted(Path("/usr/lib/jvm").glob("*/bin/java"))
    return [str(one) for one in found if one.exists()] + _bundled()


def _bundled() -> list[str]:
    import importlib.util

    package = importlib.util.find_spec("arcadedb_embedded")
    if package is None or package.origin is None:
        return []
    runtime = Path(package.origin).parent / "jre" / "bin" / "java"
    return [str(runtime)] if runtime.exists() else []


def _java_version(command: str) -> int:
    said = subprocess.run([command, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', said)
    return int(found[1]) if found else 0


def start(name: str, *, folder: Path | None = None, quick: bool = False) -> Server:
    """Start a release on free ports, in ``folder`` or in .neo4j/, and wait until it answers; raises ServerError.

    ``quick`` is for tests: it starts sooner, but is slower in the long run and has no browser.
    """
    install(name)
    home = folder or HOME / name / "home"
    shutil.rmtree(home, ignore_errors=True)
    (home / "conf").mkdir(parents=True)
    bolt, http = _free_port(), _free_port()
    (home / "conf" / "neo4j.conf").write_text(
        CONF.format(bolt=bolt, http=http, browser=str(not quick).lower()), encoding="utf-8"
    )
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(
            _command(name, home, QUICK if quick else ()),
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    server = Server(f"bolt://127.0.0.1:{bolt}", "neo4j", secrets.token_urlsafe(16), process.pid)
    try:
        _wait(server, process, home / "server.log")
    except BaseException:
        process.kill()
        raise
    return server


def _command(name: str, home: Path, options: Sequence[str]) -> list[str]:
    ours = [f"--home-dir={home}", f"--config-dir={home / 'conf'}", "--console-mode"]
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    jars = ("-cp", str(HOME / name / "lib" / "*"))
    runtime = java(VERSIONS[name].java)
    return [runtime, *jars, "-Xmx1g", *options, *opened, "-Dfile.encoding=UTF-8", VERSIONS[name].main, *ours]


def _wait(server: Server, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until the server answers, and change the first password."""
    end = time.monotonic() + START_LIMIT
    while not _listens(server):
        if process.poll() is not None or time.monotonic() > end:
            text = log.read_text(encoding="utf-8", errors="replace")
            raise ServerError(f"Neo4j did not start: {text[-600:]}")
        time.sleep(0.1)
    process.returncode = 0  # it is ended by its id, perhaps by another process
    _change_password(server, end)


def _change_password(server: Server, end: float) -> None:
    import neo4j

    command = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"
    parameters = {"old": FIRST_PASSWORD, "new": server.password}
    while True:
        try:
            with neo4j.GraphDatabase.driver(server.uri, auth=("neo4j", FIRST_PASSWORD)) as driver:
                driver.verify_connectivity()
                driver.execute_query(command, parameters, database_="system")
        except (neo4j.exceptions.ServiceUnavailable, neo4j.exceptions.TransientError):
            if time.monotonic() > end:
                raise
            time.sleep(0.25)
        else:
            return


def stop(server: Server) -> None:
    """Kill a server (the next start deletes its data), and wait until its process has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(server.pid, signal.SIGKILL)
    end = time.monotonic() + START_LIMIT
    while _alive(server.pid) and time.monotonic() < end:
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _listens(server: Server) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(server.uri.rsplit(":", 1)[1]))) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def main() -> None:
    """Run the command line."""
    action, name = sys.argv[1:3]
    record = HOME / name / "server.json"
    if action == "install":
        install(name)
    elif action == "start":
        server = start(name)
        record.write_text(json.dumps(server), encoding="utf-8")
        print(f"NEO4J_URI={server.uri} NEO4J_USERNAME={server.username} NEO4J_PASSWORD={server.password}")  # noqa: T201
    elif action == "stop" and record.exists():
        stop(Server(*json.loads(record.read_text(encoding="utf-8"))))
        record.unlink()


if __name__ == "__main__":
    main()
