"""The command ``kbe`` as a process of its own that need not import the program: it is forked from one that has.

``path()`` is a command to give to a shell. What it does, it does as a user's ``kbe`` does: with the arguments, folder,
environment and files of its caller, to its exit code. Signals do not reach it: tests of these start the installed one.
"""

import atexit
import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path

KBE = str(Path(sys.executable).with_name("kbe"))
CLIENT = """#!{python} -SE
import json, os, socket, sys
def is_open(number):
    try:
        return bool(os.fstat(number))
    except OSError:
        return False
files = [number for number in range(3) if is_open(number)]
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
asked = json.dumps([files, os.getcwd(), os.umask(0), sys.argv[1:], dict(os.environ)]).encode()
socket.send_fds(server, [len(asked).to_bytes(8, "big")], files)
server.sendall(asked)
sys.exit(server.recv(1)[0])
"""


@cache
def path() -> str:
    """Return the command's file, after its server was started; both end with this process."""
    folder = tempfile.TemporaryDirectory(prefix="kbe-")
    address, client = str(Path(folder.name) / "socket"), Path(folder.name) / "kbe"
    server = subprocess.Popen(
        [sys.executable, __file__, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    client.write_text(CLIENT.format(python=sys.executable, address=address))
    client.chmod(0o755)

    def end() -> None:
        server.communicate()
        folder.cleanup()

    atexit.register(end)
    return str(client)


def serve(address: str) -> None:
    """Serve until standard input ends; returns in each forked process that is to be a ``kbe``."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen(64)
        os.set_blocking(0, False)
        server.settimeout(1)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while os.getppid() != 1 and _is_wanted():
            with contextlib.suppress(TimeoutError):
                caller, _ = server.accept()
                with caller:
                    if _forked(caller):
                        return
    os._exit(0)


def _is_wanted() -> bool:
    """Whether standard input has not ended."""
    try:
        return os.read(0, 1) != b""
    except BlockingIOError:
        return True


def _forked(caller: socket.socket) -> bool:
    """Fork a process that waits for a ``kbe`` and tells its exit code, and that ``kbe``; return whether this is it."""
    caller.settimeout(60)
    if os.fork():
        return False
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    length, files, *_ = socket.recv_fds(caller, 8, 3)
    asked = caller.makefile("rb").read(int.from_bytes(length, "big"))
    if child := os.fork():
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        caller.sendall(bytes([code if code >= 0 else 128 - code]))
        os._exit(0)
    _take_place(files, *json.loads(asked))
    return True


def _take_place(
    files: list[int], numbers: list[int], folder: str, umask: int, arguments: list[str], environ: dict[str, str]
) -> None:
    for number, stream in enumerate(("stdin", "stdout", "stderr")):
        if number in numbers:
            os.dup2(files[numbers.index(number)], number)
        else:
            os.close(number)
            setattr(sys, stream, None)
    for file in files:
        os.close(file)
    os.chdir(folder)
    os.umask(umask)
    os.environ.clear()
    os.environ.update(environ)
    sys.argv = [KBE, *arguments]


if __name__ == "__main__":
    from kbe_graph import facts_about
    from kbe_graph.cli.main import COMMANDS, main
    from kbe_graph.english.parse import load_spacy_model
    from kbe_graph.senses.sense import link

    for name in (*(f"kbe_graph.cli.{command}" for command in COMMANDS), "openai", "aiohttp"):
        import_module(name)
    load_spacy_model()
    facts_about(link("What might be hidden there?", "giraffe").concept)  # all that is packaged is read for this
    gc.freeze()  # what no process has to look at or copy
    serve(sys.argv[1])
    sys.exit(main())
