"""A real Neo4j Community server without Docker, started from Maven artifacts (150 MB, kept in .neo4j/), for tests.

It needs ``mvn``, and Java, 17 for 5.26 and 21 for 2026. Java is looked for in JAVA_HOME, then /usr/lib/jvm, the path,
and the runtime that the embedded engine (arcadedb-embedded) includes, so a machine with only Maven runs both.
"""

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import time
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
server.http.enabled=false
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


def install(name: str) -> None:
    """Fetch the artifacts of a release with Maven, once."""
    if (HOME / name / "complete").exists():
        return
    if shutil.which("mvn") is None:
        raise ServerError("mvn is not on the path")
    folder = HOME / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:  # the workers of a test session arrive at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
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


def start(name: str, home: Path) -> Server:
    """Start a release on free ports in a folder, and wait until it answers; raises ServerError.

    It starts soon, but is slower in the long run and has no browser.
    """
    install(name)
    (home / "conf").mkdir(parents=True)
    conf = CONF.format(bolt=_free_port(), http=_free_port())
    (home / "conf" / "neo4j.conf").write_text(conf, encoding="utf-8")
    bolt = int(re.findall(r"bolt.*:(\d+)", conf)[0])
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(
            _command(name, home),
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


def _command(name: str, home: Path) -> list[str]:
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    jars = str(HOME / name / "lib" / "*")
    ours = [f"--home-dir={home}", f"--config-dir={home / 'conf'}", "--console-mode"]
    started = [java(VERSIONS[name].java), "-cp", jars, "-Xmx1g", *QUICK, *opened, "-Dfile.encoding=UTF-8"]
    return [*started, VERSIONS[name].main, *ours]


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
