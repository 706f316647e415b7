"""Records what commands show on a terminal, as text, and how long their first line takes.

    python scripts/record_terminal.py [--columns 80] COMMAND [COMMAND ...]

Each command runs in a shell on a pseudo-terminal of that width. Printed are the command, the seconds to the first line
and to the end, and what is left on the screen: colours are taken away, and a line that was drawn over counts as it was
last.
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

CONTROL = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][AB0]")
UP = re.compile(rb"\x1b\[(\d*)A")


def record(command: str, columns: int) -> tuple[float, float, list[str]]:
    """Run a command; return the seconds to its first line and to its end, and the lines that were left."""
    main, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environ = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(columns)}
    begin = time.monotonic()
    process = subprocess.Popen(["sh", "-c", command], stdin=end, stdout=end, stderr=end, env=environ)
    os.close(end)
    first, shown = 0.0, b""
    while True:
        if select.select([main], [], [], 0.1)[0]:
            try:
                new = os.read(main, 65536)
            except OSError:
                break
            if not new:
                break
            shown += new
            if not first and CONTROL.sub(b"", shown).strip():
                first = time.monotonic() - begin
        elif process.poll() is not None:
            break
    process.wait()
    os.close(main)
    return first, time.monotonic() - begin, screen(shown)


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
    parser.add_argument("commands", nargs="+")
    arguments = parser.parse_args()
    for command in arguments.commands:
        first, whole, lines = record(command, arguments.columns)
        print(f"$ {command}\n# first line after {first:.1f} s, all after {whole:.1f} s")
        print("\n".join(lines).strip("\n"), end="\n\n")


if __name__ == "__main__":
    main()
