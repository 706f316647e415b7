"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO, cast

from kbe_graph.errors import InputError


@contextmanager
def replacing(file: Path) -> Iterator[TextIO]:
    """Open a stream that ``file`` is written with; the file appears, or is replaced, only when all is written.

    Raises InputError where it cannot be written; what was there before stays.
    """
    file = file.absolute()
    temporary: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=file.parent, prefix=f".{file.name}.", delete=False
        ) as stream:
            temporary = Path(stream.name)
            yield cast("TextIO", stream)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o644)
        temporary.replace(file)
    except OSError as error:
        raise InputError(f"cannot write {str(file)!r}: {error.strerror}; choose another place") from None
    finally:
        if temporary is not None:
            with suppress(FileNotFoundError):
                temporary.unlink()
