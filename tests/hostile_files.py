"""Small files that expand to large ones, and special files; each is made in a moment."""

import gzip
import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

MB = 1 << 20


def _socket(file: Path) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(os.path.relpath(file))  # an absolute path may be too long for a socket


NO_FILES: Mapping[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "device": lambda file: file.symlink_to("/dev/zero"),
    "socket": _socket,
    "folder": Path.mkdir,
    "loop": lambda file: file.symlink_to(file.name),
    "dangling": lambda file: file.symlink_to("nowhere"),
}
"""Special files in place of a file, by name; reading a pipe or the device would never end."""


@contextmanager
def ends_soon() -> Iterator[None]:
    """Raise TimeoutError in a block that would wait for ever, so that its test fails."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(number, frame)

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def gzip_of(file: Path, *parts: bytes) -> Path:
    """Write a gzip file of ``parts``."""
    with gzip.open(file, "wb") as stream:
        for part in parts:
            stream.write(part)
    return file
