"""Files and folders that are written whole or not at all; streams, devices and terminals are written as they are."""

import codecs
import errno
import fcntl
import io
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from kbe_graph.errors import InputError
from kbe_graph.text import visible

_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")


@contextmanager
def replacing(file: Path, *, private: bool = False) -> Iterator[TextIO]:
    """Open a stream that ``file`` is written with; the file appears, or is replaced, only when all is written.

    Where the file is a link, its target is written; a file that is not regular (a pipe, a device) is written straight;
    a terminal shows all of it, and obeys nothing in it. A ``private`` file is its owner's alone; of others the umask
    decides. Raises InputError where it cannot be written; the old file stays.
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
    """Return the error of a place that cannot be written."""
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
    """Return a descriptor that writes to a file that is not regular, None where a file is to be made or replaced."""
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
    remove_abandoned(file)
    temporary, descriptor = _create_file(file, 0o600 if private else 0o666)
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


def _create_file(file: Path, mode: int) -> tuple[Path, int]:
    """Make a file beside the one that is written, locked as long as its process lives."""
    while True:
        temporary = part_of(file)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        if lock_part(temporary, descriptor):
            return temporary, descriptor
        os.close(descriptor)


@contextmanager
def replacing_folder(folder: Path, mark: str) -> Iterator[Path]:
    """Give a new folder of the same name, which takes the place of ``folder`` only when all is written.

    A folder that is there is replaced if it is empty, or holds the file ``mark`` of an earlier writing. The leftovers
    of a killed writer are removed. Raises InputError for a place with other content, and if nothing can be written; the
    old content stays.
    """
    folder = folder.absolute()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(folder, lambda part: _put_back(_earlier(part, folder), folder))
        _require_free(folder, mark)
        with _part(folder) as part:
            temporary = part / folder.name
            temporary.mkdir()
            yield temporary
            _take_place(temporary, folder, _earlier(part, folder))
    except OSError as error:
        raise cannot_write(folder, error) from None


@contextmanager
def temporary_folder(name: str, parent: Path | None = None) -> Iterator[Path]:
    """Give a new folder that its owner alone may enter, among the system's temporary files where no parent is given.

    It is gone at the end. The leftovers of a killed process go as the next folder of that name is made. Raises OSError.
    """
    place = (parent or Path(tempfile.gettempdir())) / name
    remove_abandoned(place)
    with _part(place) as folder:
        yield folder


@contextmanager
def _part(folder: Path) -> Iterator[Path]:
    """Give a new folder beside the one that is written, locked as long as its process lives, and gone at the end."""
    part, descriptor = _create_folder(folder)
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)
        os.close(descriptor)


def _create_folder(folder: Path) -> tuple[Path, int]:
    while True:
        part = part_of(folder)
        part.mkdir(mode=0o700)
        with suppress(FileNotFoundError):  # another process took it for a leftover before it was locked
            descriptor = os.open(part, os.O_RDONLY | os.O_CLOEXEC)
            if lock_part(part, descriptor):
                return part, descriptor
            os.close(descriptor)


def _earlier(part: Path, folder: Path) -> Path:
    """Return the place in a part for the folder that it replaces."""
    return part / f"{folder.name}.earlier"


def _take_place(temporary: Path, folder: Path, earlier: Path) -> None:
    if folder.exists():
        folder.rename(earlier)
    try:
        temporary.rename(folder)
    finally:
        _put_back(earlier, folder)


def _put_back(earlier: Path, folder: Path) -> None:
    """Put the folder back that was there before, where nothing took its place."""
    if earlier.exists() and not os.path.lexists(folder):
        earlier.rename(folder)


def _require_free(folder: Path, mark: str) -> None:
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise InputError(f"{str(folder)!r} is not a folder; name a new one, or remove it")
    if any(folder.iterdir()) and not (folder / mark).is_file():
        raise InputError(f"{str(folder)!r} holds other files; name a new folder, or empty it")


def part_of(place: Path) -> Path:
    """Return a new name beside a file or folder, for its replacement while that is written."""
    return place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")


def lock_part(part: Path, descriptor: int) -> bool:
    """Lock a new part; return False if another process has removed it as abandoned."""
    with suppress(OSError):  # a file system without locks
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        return os.path.samestat(os.lstat(part), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def remove_abandoned(place: Path, rescue: Callable[[Path], None] = lambda _: None) -> None:
    """Remove the parts of a file or folder whose writers are gone; ``rescue`` gets each folder before."""
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


class Terminal(io.TextIOWrapper):
    """Text for a terminal: control characters are escapes that can be read."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(os.fdopen(descriptor, "wb"), encoding="utf-8", newline="\n", line_buffering=True)
        self._bytes = _Bytes(self)

    def write(self, text: str) -> int:
        """Write a text; lines may end as those of spreadsheets do."""
        return super().write(visible(text.replace("\r\n", "\n")))

    @property
    def buffer(self) -> BinaryIO:
        """Takes text as bytes; raises InputError for bytes that are none."""
        return cast("BinaryIO", self._bytes)


class _Bytes(io.RawIOBase):
    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def writable(self) -> bool:
        return True

    def write(self, content: object, /) -> int:
        data = bytes(cast("bytes", content))
        try:
            self._terminal.write(self._decoder.decode(data))
        except UnicodeDecodeError:
            raise InputError(
                "the output is binary and cannot be shown on a terminal; write it to a file or a pipe"
            ) from None
        return len(data)


OTHERS = 0o077  # what group and others may do


def private_file(file: Path) -> Path:
    """Make a file that its owner alone may read and write, empty unless it is there, and return it.

    One that is there is closed to others. Raises OSError where it cannot be made.
    """
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    _close_to_others(file)
    return file


def private_folder(folder: Path) -> Path:
    """Make a folder, with those above it, that its owner alone may enter, unless it is there, and return it.

    Raises OSError where it cannot be made.
    """
    if not folder.is_dir():
        private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def close_to_others(folder: Path) -> None:
    """Close a folder that others may enter, with all that is in it."""
    folder = folder.resolve()
    if folder.stat().st_mode & OTHERS:
        for path in (folder, *folder.rglob("*")):
            _close_to_others(path)


def _close_to_others(path: Path) -> None:
    """Take access from others, unless another user owns the file or the disk cannot be written."""
    with suppress(OSError):
        mode = path.lstat().st_mode
        if mode & OTHERS and not path.is_symlink():
            path.chmod(mode & 0o7777 & ~OTHERS)
