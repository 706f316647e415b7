"""What a writer that was killed left beside the place that it wrote: it is locked as long as its process lives."""

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def part_of(place: Path) -> Path:
    """Return a new name beside a file or folder, for what is to take its place when it is written."""
    return place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")


def is_locked(part: Path, descriptor: int) -> bool:
    """Lock a part that was made now; return whether it is still there: another process may take it for a leftover."""
    with suppress(OSError):  # a file system without locks
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        return os.path.samestat(os.lstat(part), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def remove_leftovers(place: Path, rescue: Callable[[Path], None] = lambda _: None) -> None:
    """Remove what writers of a file or folder left that are gone; ``rescue`` is told of each folder before."""
    name = re.compile(re.escape(f".{place.name}.") + r"[0-9a-f]{8}\.part")
    for part in [other for other in place.parent.iterdir() if name.fullmatch(other.name)]:
        with suppress(OSError):
            descriptor = os.open(part, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if part.is_dir():
                    rescue(part)
                    shutil.rmtree(part)
                else:
                    part.unlink()
            finally:
                os.close(descriptor)
