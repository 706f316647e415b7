"""Folders that are written whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kbe_graph.errors import InputError
from kbe_graph.files.whole import cannot_write


@contextmanager
def replacing_folder(folder: Path, mark: str) -> Iterator[Path]:
    """Give a new folder of the same name, which takes the place of ``folder`` only when all is written.

    A folder that is there is replaced if it is empty, or holds the file ``mark`` of an earlier writing. Raises
    InputError where it holds something else, and where nothing can be written; what was there before stays.
    """
    folder = folder.absolute()
    _require_free(folder, mark)
    around = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    temporary = around / folder.name
    try:
        temporary.mkdir(parents=True)
        yield temporary
        if folder.exists():
            earlier = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.old")
            folder.rename(earlier)
            temporary.rename(folder)
            shutil.rmtree(earlier)
        else:
            temporary.rename(folder)
    except OSError as error:
        raise cannot_write(folder, error) from None
    finally:
        shutil.rmtree(around, ignore_errors=True)


def _require_free(folder: Path, mark: str) -> None:
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise InputError(f"{str(folder)!r} is no folder; name a new one, or remove it")
    if any(folder.iterdir()) and not (folder / mark).is_file():
        raise InputError(f"{str(folder)!r} holds other files; name a new folder, or empty it")
