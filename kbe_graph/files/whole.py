"""Files that are written whole or not at all; streams and devices are written as they are."""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from kbe_graph.errors import InputError
from kbe_graph.files.leftovers import is_locked, part_of, remove_leftovers
from kbe_graph.files.terminal import Terminal

_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")


@contextmanager
def replacing(file: Path, *, private: bool = False) -> Iterator[TextIO]:
    """Open a stream that ``file`` is written with; the file appears, or is replaced, only when all is written.

    Where the file is a link, what it points to is written; what is no regular file (a pipe, a device) is written
    straight; a terminal shows what it is given, and obeys nothing in it. A ``private`` file is its owner's alone; of
    others the umask decides. Raises InputError where it cannot be written; what was there before stays.
    """
    file = file.absolute()
    try:
        straight = _descriptor(file)
        if straight is None:
            with _whole(Path(os.path.realpath(file)), private=private) as stream:
                yield stream
        else:
            with _open_straight(straight) as stream:
                yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise cannot_write(file, error) from None


def cannot_write(place: Path, error: OSError) -> InputError:
    """Return what to say of a place that cannot be written."""
    full = "make room there, or " if error.errno in {errno.ENOSPC, errno.EDQUOT} else ""
    return InputError(f"cannot write {str(place)!r}: {error.strerror or error}; {full}choose another place")


def folder_of(file: Path) -> Path | None:
    """Return the folder in which ``replacing`` writes a file; None for a stream, a pipe or a device."""
    file = file.absolute()
    if _number(file) is not None or (file.exists() and not file.is_file()):
        return None
    return Path(os.path.realpath(file)).parent


def _number(file: Path) -> int | None:
    """Return the number of the descriptor that a path stands for."""
    numbered = _DESCRIPTOR.fullmatch(str(file))
    return int(numbered[1]) if numbered else _STREAMS.get(str(file))


def _descriptor(file: Path) -> int | None:
    """Return a descriptor that writes to what is no regular file, None where a file is to be made or replaced."""
    if (number := _number(file)) is not None:
        return os.dup(number)
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(file.stat().st_mode):
            return os.open(file, os.O_WRONLY)
    return None


def _open_straight(descriptor: int) -> TextIO:
    if os.isatty(descriptor):
        return Terminal(descriptor)
    return os.fdopen(descriptor, "w", encoding="utf-8", newline="\n")


@contextmanager
def _whole(file: Path, *, private: bool) -> Iterator[TextIO]:
    remove_leftovers(file)
    temporary, descriptor = _create(file, 0o600 if private else 0o666)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
            stream.flush()
            os.fsync(descriptor)
            with suppress(FileNotFoundError):
                before = file.stat()
                with suppress(PermissionError):
                    os.fchown(descriptor, before.st_uid, before.st_gid)
                os.fchmod(descriptor, 0o600 if private else stat.S_IMODE(before.st_mode))
            temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _create(file: Path, mode: int) -> tuple[Path, int]:
    """Make a file beside the one that is written, locked as long as its process lives."""
    while True:
        temporary = part_of(file)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        if is_locked(temporary, descriptor):
            return temporary, descriptor
        os.close(descriptor)
