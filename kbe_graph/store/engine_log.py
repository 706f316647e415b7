"""What the log and the disk of an embedded engine tell, where the engine itself only says that something failed."""

import shutil
from pathlib import Path

LOG = "engine.log"
TAIL = 65_536
ROOM = 1 << 20  # the engine writes pages of up to 256 KiB, several at a time
FULL = ("no space left on device", "disk full", "disk quota exceeded")


def has_full_disk(directory: Path) -> bool:
    """Whether the disk of an engine's folder is full, or was when the engine last complained."""
    try:
        free = shutil.disk_usage(directory).free
    except OSError:
        free = ROOM
    return free < ROOM or any(sign in _tail(directory).lower() for sign in FULL)


def last_complaint(directory: Path) -> str:
    """Return the last line of the log that names an error; nothing where there is none."""
    lines = [line.strip() for line in _tail(directory).splitlines() if "Error" in line or "Exception" in line]
    return lines[-1][:200] if lines else ""


def _tail(directory: Path) -> str:
    try:
        with (directory / LOG).open("rb") as stream:
            stream.seek(max(0, stream.seek(0, 2) - TAIL))
            return stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
