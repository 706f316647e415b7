"""The command ``kbe`` as a separate process forked from one that has already imported the program.

``path()`` is a command for a shell. It behaves like a user's ``kbe``: with the arguments, folder, environment and files
of its caller, and its exit code. SIGINT and SIGTERM only reach it after its first output; tests of other signals, and
of other moments, start the installed command.
"""

import atexit
import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from importlib import import_module
from pathlib import Path

SHARED = "QUICK_KBE"  # the variable that names the command of another process's server
IMPORTED = (
    *("openai", "aiohttp", "neo4j", "pandas", "lemminflect", "matplotlib.pyplot"),
    *("sklearn.feature_extraction.text", "sklearn.neighbors"),
    *("kbe_graph.explorer.explorer_pages", "kbe_graph.review.review_pages"),
)
KBE = str(Path(sys.executable).with_name("kbe"))
CLIENT = """#!{python} -SE
import _signal, json, os, socket, sys
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
child = int.from_bytes(server.recv(4), "big")
for number in (_signal.SIGINT, _signal.SIGTERM):
    if _signal.getsignal(number) != _signal.SIG_IGN:
        _signal.signal(number, lambda number, _: os.kill(child, number))
sys.exit(server.recv(1)[0])
"""


@cache
def path() -> str:
    """Return the command's file; its server ends with the process that started it."""
    return os.environ.get(SHARED) or _start()


def share() -> None:
    """Start one server for this process and for all those that it starts later."""
    os.environ[SHARED] = path()


def _start() -> str:
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


def listen(address: str) -> socket.socket:
    """Open a socket on which callers can wait."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen(64)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    return server


def serve(server: socket.socket) -> None:
    """Serve until standard input ends; returns in each forked process that becomes a ``kbe``."""
    callers: dict[int, socket.socket] = {}
    signal.signal(signal.SIGCHLD, lambda *_: None)
    ended, end = socket.socketpair()
    end.setblocking(False)
    signal.set_wakeup_fd(end.fileno())
    while os.getppid() != 1:
        ready, _, _ = select.select([0, server, ended], [], [], 1)
        if 0 in ready:
            break
        if ended in ready:
            ended.recv(4096)
            _tell_ended(callers)
        if server in ready:
            caller, _ = server.accept()
            child = os.fork()
            if not child:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for each in (server, ended, end, *callers.values()):
                    each.close()
                _become(caller)
                return
            callers[child] = caller
            with contextlib.suppress(OSError):
                caller.sendall(child.to_bytes(4, "big"))
    os._exit(0)


def _tell_ended(callers: dict[int, socket.socket]) -> None:
    """Send the exit code to each caller whose ``kbe`` has ended."""
    for child in tuple(callers):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            with callers.pop(child) as caller, contextlib.suppress(OSError):  # a killed caller needs none
                caller.sendall(bytes([code if code >= 0 else 128 - code]))


def _become(caller: socket.socket) -> None:
    """Read a caller's request, and take over its arguments, folder, environment and files."""
    with caller:
        caller.settimeout(60)
        length, files, *_ = socket.recv_fds(caller, 8, 3)
        asked = caller.makefile("rb").read(int.from_bytes(length, "big"))
    _take_place(files, *json.loads(asked))


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


def _end(ended: SystemExit) -> None:
    """End as Python does, but without tearing down the imported modules, which would copy every memory page."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(ended.code if isinstance(ended.code, int) else 0)


if __name__ == "__main__":
    server = listen(sys.argv[1])
    from kbe_graph import facts_about
    from kbe_graph.cli.main import COMMANDS, main
    from kbe_graph.english.parse import load_spacy_model
    from kbe_graph.facts.walk import link

    for name in (*(f"kbe_graph.cli.{module}" for module, _ in COMMANDS.values()), *IMPORTED):
        import_module(name)
    load_spacy_model()
    facts_about(link("What might be hidden there?", "giraffe").concept)  # this reads all packaged data
    gc.freeze()  # no process needs to scan or copy these objects
    serve(server)
    try:
        main()
    except SystemExit as ended:
        _end(ended)
