"""Files and folders that are their owner's alone, whatever the umask: they hold prompts and replies."""

import os
from contextlib import suppress
from pathlib import Path

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
    """Close what is ours to close: what another user owns, or a disk that cannot be written, stays as it is."""
    with suppress(OSError):
        mode = path.lstat().st_mode
        if mode & OTHERS and not path.is_symlink():
            path.chmod(mode & 0o7777 & ~OTHERS)
