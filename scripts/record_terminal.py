"""Records what commands show on a terminal, as text, and how long their first line takes.

    python scripts/record_terminal.py [--columns 80] [--interrupt SECONDS] COMMAND [COMMAND ...]

Each command runs in a shell on a pseudo-terminal of that width. Printed are the command, the seconds to the first line
and to the end, and what is left on the screen: colours are taken away, and a line that was drawn over counts as it was
last. With --interrupt, Ctrl+C is pressed after so many seconds.
"""

import argparse
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import NamedTuple

CONTROL = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][AB0]")
UP = re.compile(rb"\x1b\[(\d*)A")


class Recording(NamedTuple):
    """What a command showed: seconds to its first line and to its end, its exit code, and the lines that were left."""

    first: float
    whole: float
    code: int
    lines: list[str]


def record(
    command: str, columns: int, *, interrupt: float = 0, folder: Path | None = None, path: str = ""
) -> Recording:
    """Run a command in a folder, with ``path`` first on the path; Ctrl+C is pressed after ``interrupt`` seconds."""
    main, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environ = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    environ |= {"TERM": "xterm-256color", "PATH": os.pathsep.join(filter(None, (path, os.environ["PATH"])))}
    begin = time.monotonic()
    process = subprocess.Popen(
        ["sh", "-c", command],
        stdin=end,
        stdout=end,
        stderr=end,
        env=environ,
        cwd=folder,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - so that Ctrl+C reaches it
    )
    os.close(end)
    first, shown, ended = 0.0, b"", 0.0
    while True:
        if interrupt and time.monotonic() - begin > interrupt:
            os.write(main, b"\x03")
            interrupt = 0
        if select.select([main], [], [], 0.05)[0]:
            try:
                new = os.read(main, 65536)
            except OSError:
                break
            if not new:
                break
            shown += new
            if not first and CONTROL.sub(b"", shown).strip():
                first = time.monotonic() - begin
        elif process.poll() is not None:  # what it left running may hold the terminal
            break
    process.wait()
    ended = time.monotonic() - begin
    os.close(main)
    return Recording(first or ended, ended, process.returncode, screen(shown))


def screen(shown: bytes) -> list[str]:
    """Return the lines that are left when all was drawn."""
    lines = [b""]
    for part in re.split(rb"(\r?\n|\r|\x1b\[\d*A)", shown):
        if up := UP.fullmatch(part):
            del lines[max(len(lines) - int(up[1] or 1), 1) :]
            lines[-1] = b""
        elif part in (b"\n", b"\r\n"):
            lines.append(b"")
        elif part == b"\r":
            lines[-1] = b""
        else:
            lines[-1] += CONTROL.sub(b"", part)
    return [line.decode(errors="replace").rstrip() for line in lines]


def main() -> None:
    """Print the recordings."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--interrupt", type=float, default=0)
    parser.add_argument("commands", nargs="+")
    arguments = parser.parse_args()
    for command in arguments.commands:
        recording = record(command, arguments.columns, interrupt=arguments.interrupt)
        print(f"$ {command}\n# first line after {recording.first:.1f} s, all after {recording.whole:.1f} s")
        print("\n".join(recording.lines).strip("\n"), end="\n\n")


if __name__ == "__main__":
    main()
