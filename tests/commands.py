"""Runs the command line as a user does, in a separate process or in this one."""

import contextlib
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import quick_kbe
from loopback_server import LoopbackServer

from kbe_graph.cli.main import main
from kbe_graph.config import WARM
from kbe_graph.errors import KbeWarning
from kbe_graph.store import Address
from kbe_graph.store.engine import start, stop

ORDERS = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]")
KBE = quick_kbe.KBE
EACH = """
import contextlib, io, json, sys
from kbe_graph.cli.main import main
for arguments in json.load(sys.stdin):
    said, wrong, ended = io.StringIO(), io.StringIO(), 0
    sys.argv = ["kbe", *arguments]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        try:
            main()
        except SystemExit as stop:
            ended = stop.code
    print(json.dumps([ended, said.getvalue(), wrong.getvalue()]))
"""


def environment(address: Address | None = None) -> dict[str, str]:
    """Build the environment of a user who has set nothing but the graph's address, if given."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("KBE_", "NEO4J_", "OPENAI_"))}
    plain[WARM] = "0"  # leave no engine running
    if address is None:
        return plain
    return plain | {
        "NEO4J_URI": address.uri,
        "NEO4J_USERNAME": address.username,
        "NEO4J_PASSWORD": address.password,
        "NEO4J_DATABASE": address.database or "",
    }


def kbe(*arguments: object, address: Address | None = None, code: int = 0, columns: int = 80) -> str:
    """Run kbe and return its standard output, or its standard error if a non-zero exit code is expected."""
    environ = environment(address) | {"COLUMNS": str(columns)}
    done = subprocess.run(
        [quick_kbe.path(), *map(str, arguments)], capture_output=True, text=True, check=False, env=environ, timeout=300
    )
    assert done.returncode == code, done.stderr + done.stdout
    return done.stderr if code else done.stdout


class Done(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str


def kbe_here(*arguments: object, address: Address | None = None, code: int = 0) -> str:
    """Run ``kbe`` in this process, which saves the seconds needed to import the program."""
    done = done_here(*arguments, address=address)
    assert done.code == code, done.err + done.out
    return done.err if code else done.out


def done_here(*arguments: object, address: Address | None = None, **variables: str) -> Done:
    """Run ``kbe`` in this process with additional variables, and return its outcome."""
    said, wrong, ended = io.StringIO(), io.StringIO(), 0
    before = sys.argv, dict(os.environ)
    try:
        sys.argv = [KBE, *map(str, arguments)]
        _set_environment(environment(address) | variables)
        with _warnings_printed(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
            main()
    except SystemExit as stop:
        ended = stop.code
    finally:
        sys.argv = before[0]
        _set_environment(before[1])
    return Done(ended, said.getvalue(), wrong.getvalue())


def done_each(python: Path | str, *commands: Sequence[object], folder: Path, **variables: str) -> list[Done]:
    """Run several ``kbe`` commands in one new process of an installation, and return the outcome of each."""
    lines = json.dumps([[str(part) for part in command] for command in commands])
    done = subprocess.run(
        [python, "-c", EACH],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment() | variables,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [Done(*json.loads(line)) for line in done.stdout.splitlines()]


@contextlib.contextmanager
def kept_up(workspace: Path) -> Iterator[None]:
    """Keep one engine running for the commands on a workspace; not for tests of starting it."""
    start(workspace / ".kbe")
    try:
        yield
    finally:
        stop(workspace / ".kbe")


def killed(server: LoopbackServer, *arguments: object, answers: int) -> bool:
    """Run kbe, and kill it as soon as the model gave so many more answers; tell whether that was before its end."""
    before, command = server.statuses.total(), [KBE, *map(str, arguments)]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and server.statuses.total() < before + answers:
            time.sleep(0.002)
        process.kill()
    assert process.returncode in {0, -9}
    return process.returncode == -9


def shown_on_terminal(command: Sequence[str], *, columns: int = 80, **environ: str) -> str:
    """Return a command's output on a terminal of a given width, including control sequences."""
    inner, outer = pty.openpty()
    fcntl.ioctl(outer, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    own = {name: value for name, value in environment().items() if name not in {"COLUMNS", "LINES", "NO_COLOR"}}
    with subprocess.Popen(command, stdin=outer, stdout=outer, stderr=outer, env=own | environ) as process:
        os.close(outer)
        shown = b""
        while True:
            try:
                shown += os.read(inner, 4096)
            except OSError:
                break
        process.wait(60)
    os.close(inner)
    return shown.decode()


def terminal_lines(shown: str) -> list[str]:
    """Return the lines of terminal output without control sequences."""
    return re.split(r"\r?\n|\r", ORDERS.sub("", shown))


@contextlib.contextmanager
def _warnings_printed() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("always", KbeWarning)
        yield


def _set_environment(values: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(values)
