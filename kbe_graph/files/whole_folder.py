"""Folders that are written whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kbe_graph.errors import InputError
from kbe_graph.files.leftovers import is_locked, part_of, remove_leftovers
from kbe_graph.files.whole import cannot_write


@contextmanager
def replacing_folder(folder: Path, mark: str) -> Iterator[Path]:
    """Give a new folder of the same name, which takes the place of ``folder`` only when all is written.

    A folder that is there is replaced if it is empty, or holds the file ``mark`` of an earlier writing. What a writer
    left that was killed is removed. Raises InputError where there is something else, and where nothing can be written;
    what was there before stays.
    """
    folder = folder.absolute()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder, lambda part: _put_back(_earlier(part, folder), folder))
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

    It is gone at the end. What a process left that was killed goes as the next folder of that name is made. Raises
    OSError.
    """
    place = (parent or Path(tempfile.gettempdir())) / name
    remove_leftovers(place)
    with _part(place) as folder:
        yield folder


@contextmanager
def _part(folder: Path) -> Iterator[Path]:
    """Give a new folder beside the one that is written, locked as long as its process lives, and gone at the end."""
    part, descriptor = _create(folder)
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)
        os.close(descriptor)


def _create(folder: Path) -> tuple[Path, int]:
    while True:
        part = part_of(folder)
        part.mkdir(mode=0o700)
        with suppress(FileNotFoundError):  # another process took it for a leftover before it was locked
            descriptor = os.open(part, os.O_RDONLY | os.O_CLOEXEC)
            if is_locked(part, descriptor):
                return part, descriptor
            os.close(descriptor)


def _earlier(part: Path, folder: Path) -> Path:
    """Return where in a part the folder lies that it takes the place of."""
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
        raise InputError(f"{str(folder)!r} is no folder; name a new one, or remove it")
    if any(folder.iterdir()) and not (folder / mark).is_file():
        raise InputError(f"{str(folder)!r} holds other files; name a new folder, or empty it")
