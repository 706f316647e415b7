"""Atomic writing of files and folders; streams, devices and terminals are written directly."""

import errno
import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from kbe_graph.errors import InputError
from kbe_graph.files.opening import open_regular
from kbe_graph.text import quoted

_HEAD = 1 << 20  # bytes of a file by which our own writing is known
_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")


@contextmanager
def replacing(file: Path, *, private: bool = False) -> Iterator[TextIO]:
    """Open a stream for writing ``file``, which appears, or is replaced, only when writing has succeeded.

    For a link, its target is written. A file that is not regular (a pipe, a device, a terminal) is written directly. A
    ``private`` file is accessible only to its owner; for others the umask applies.
    Raises InputError if the file cannot be written; then the old file stays.
    """
    file = file.absolute()
    try:
        straight = _descriptor(file)
        if straight is None:
            with _whole(Path(os.path.realpath(file)), private=private) as stream:
                yield stream
        else:
            with os.fdopen(straight, "w", encoding="utf-8", newline="\n") as stream:
                yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise cannot_write(file, error) from None


def require_own(file: Path, is_own: Callable[[str], bool], *, replace: bool) -> None:
    """Raise InputError for a file that is not empty and does not begin as our own do, unless it may be replaced."""
    file = file.absolute()
    if replace or _numbered(file) is not None or not file.is_file():
        return
    try:
        with open_regular(file) as stream:
            head = stream.read(_HEAD).decode("utf-8", "replace")
    except OSError as error:
        raise cannot_write(file, error) from None
    if head and not is_own(head):
        raise InputError(f"{str(file)!r} holds something else; name a new file, or confirm with `replace`")


def cannot_write(place: Path, error: OSError) -> InputError:
    """Build the error for a place that cannot be written."""
    full = "make room there, or " if error.errno in {errno.ENOSPC, errno.EDQUOT} else ""
    return InputError(f"cannot write {str(place)!r}: {error.strerror or error}; {full}choose another place")


def _numbered(file: Path) -> int | None:
    numbered = _DESCRIPTOR.fullmatch(str(file))
    return int(numbered[1]) if numbered else _STREAMS.get(str(file))


def _descriptor(file: Path) -> int | None:
    if (number := _numbered(file)) is not None:
        return os.dup(number)
    return os.open(file, os.O_WRONLY) if file.exists() and not file.is_file() else None


@contextmanager
def _whole(file: Path, *, private: bool) -> Iterator[TextIO]:
    part = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if private else 0o666)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
            stream.flush()
            os.fsync(descriptor)
        if file.exists() and not private:
            part.chmod(stat.S_IMODE(file.stat().st_mode))
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacing_folder(folder: Path, mark: str, *, replace: bool = False) -> Iterator[Path]:
    """Yield a new folder with the same name, which replaces ``folder`` only when writing has succeeded.

    An existing folder is replaced if it is empty, or contains the file ``mark`` of an earlier writing, and no file that
    its ``files`` do not list unless ``replace`` is set. What a killed writer left goes with the next. Raises InputError
    if the folder has other content or cannot be written; then the old content stays.
    """
    folder = folder.absolute()
    part, earlier = (folder.with_name(f".{folder.name}.{ending}") for ending in ("part", "earlier"))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _give_back(folder, earlier)  # the writer was killed between two folders
        _require_free(folder, mark, replace=replace)
        shutil.rmtree(part, ignore_errors=True)
        (part / folder.name).mkdir(parents=True)
        yield part / folder.name
        if folder.exists():
            folder.rename(earlier)
        (part / folder.name).rename(folder)
    except OSError as error:
        raise cannot_write(folder, error) from None
    finally:
        _give_back(folder, earlier)
        shutil.rmtree(part, ignore_errors=True)


def _give_back(folder: Path, earlier: Path) -> None:
    if earlier.exists() and not folder.exists():
        earlier.rename(folder)
    shutil.rmtree(earlier, ignore_errors=True)


def files_in(folder: Path) -> list[str]:
    """List the files in a folder and its subfolders, by their sorted paths."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if not file.is_dir())


def _require_free(folder: Path, mark: str, *, replace: bool) -> None:
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise InputError(f"{str(folder)!r} is not a folder; name a new one, or remove it")
    if any(folder.iterdir()) and not (folder / mark).is_file():
        raise InputError(f"{str(folder)!r} holds other files; name a new folder, or empty it")
    if not replace and (others := _others(folder, mark)):
        raise InputError(
            f"{str(folder)!r} also holds {quoted(others, 3)}, not of the export; name a new folder, or confirm with "
            "`replace`"
        )


def _others(folder: Path, mark: str) -> list[str]:
    """List the files that the mark of a folder does not list; none where it lists nothing."""
    try:
        own = {*json.loads((folder / mark).read_bytes())["files"], mark, Path(mark).with_suffix(".sha256").name}
    except (ValueError, TypeError, KeyError, FileNotFoundError):
        return []
    return [name for name in files_in(folder) if name not in own]


def private_file(file: Path) -> Path:
    """Create an empty file accessible only to its owner, unless it exists, and return it.

    Raises OSError, also for a pipe or a device.
    """
    file.touch(mode=0o600)
    if not file.is_file():
        raise OSError(errno.EINVAL, "a pipe or a device, not a regular file")
    return file


def private_folder(folder: Path) -> Path:
    """Create a folder that only its owner can enter, with its parents, unless it exists, and return it.

    Raises OSError if it cannot be created.
    """
    if not folder.is_dir():
        private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder
