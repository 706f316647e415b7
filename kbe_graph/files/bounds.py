"""How much is read of a file: bounds far above what real files hold, and far below what a small hostile one can."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import DatasetError

MOST_RECORD = 1 << 26  # bytes of a line, a JSON value, a member of an archive: an image of 48 MB in base64
MOST_WHOLE = 1 << 28  # bytes of a file that is read at once: a picture, a sheet of verdicts, a fact pack
LEAST_UNPACKED, TIMES = 1 << 24, 250  # bytes; lines that repeat a long prompt are packed 136 times smaller


class Bounds(NamedTuple):
    """How much of a table is read: as many rows and columns as a worksheet has, so many cells, and bytes in them.

    The bytes are those of a packed table, which may write a text once and name it in each row.
    """

    rows: int = 1 << 20
    columns: int = 1 << 14
    cells: int = 1 << 24
    content: int = 1 << 33


BOUNDS = Bounds()


@dataclass(slots=True)
class Tally:
    """Counts the rows and cells that are read of a file, and refuses what goes beyond the bounds."""

    file: Path
    bounds: Bounds = BOUNDS
    rows: int = 0
    cells: int = 0

    def add(self, columns: int, rows: int = 1, *, cells: int = 0) -> None:
        """Count rows of so many columns, and their cells where they are more. Raises DatasetError, with the bound."""
        self.rows += rows
        self.cells += cells or columns * rows
        if columns > self.bounds.columns:
            raise DatasetError(
                self.file, f"has {columns:,} columns; at most {self.bounds.columns:,} are read; leave some out"
            )
        if self.rows > self.bounds.rows:
            raise DatasetError(self.file, f"has more than {self.bounds.rows:,} rows, the most that is read; split it")
        if self.cells > self.bounds.cells:
            raise DatasetError(
                self.file,
                f"has more than {self.bounds.cells:,} cells, the most that is read; leave out columns, or split it",
            )


def require_unpacked(file: Path, size: int, unpacked: int) -> None:
    """Raise DatasetError where a packed file of this size gives more than what is packed honestly."""
    if unpacked > max(LEAST_UNPACKED, TIMES * size):
        raise DatasetError(
            file, f"unpacks to more than {TIMES} times its size; fetch it again, or give it as plain text"
        )
