"""The bounds of what is read: bytes of a file and a record, characters of a text, rows and cells of a table."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import DatasetError

MOST_RECORD = 1 << 26  # bytes of a line or an archive member: an image of 48 MB in base64
MOST_WHOLE = 1 << 28  # bytes of a file read at once: a picture, a sheet of verdicts, a fact pack
MOST_DOCUMENT = 1 << 30  # bytes of a benchmark in one JSON document
LEAST_UNPACKED, TIMES = 1 << 24, 250  # bytes; lines that repeat a long prompt compress by a factor of 136
MOST_TEXT, MOST_ID = 100_000, 1_000  # characters: a sentence parser stops at a million
MOST_LIST, MOST_TEXTS = 10 * MOST_TEXT, 10_000  # characters of a cell with a list; number of texts in a list


class Bounds(NamedTuple):
    """The limits of a table: rows and columns as in a worksheet, and the numbers of cells and of bytes in them.

    The bytes are those after decompression, where a text stored once may be repeated in every row.
    """

    rows: int = 1 << 20
    columns: int = 1 << 14
    cells: int = 1 << 24
    content: int = 1 << 33


BOUNDS = Bounds()


@dataclass(slots=True)
class Tally:
    """A counter of the rows and cells read from a file, which enforces the limits."""

    file: Path
    bounds: Bounds = BOUNDS
    rows: int = 0
    cells: int = 0

    def add(self, columns: int, rows: int = 1) -> None:
        """Count rows and their cells. Raises DatasetError, naming the limit."""
        self.rows += rows
        self.cells += columns * rows
        if columns > self.bounds.columns:
            raise DatasetError(self.file, f"has {columns:,} columns; the limit is {self.bounds.columns:,}; remove some")
        if self.rows > self.bounds.rows:
            raise DatasetError(self.file, f"has more than {self.bounds.rows:,} rows, the limit; split it")
        if self.cells > self.bounds.cells:
            raise DatasetError(
                self.file,
                f"has more than {self.bounds.cells:,} cells, the limit; remove columns, or split it",
            )


def refuse_oversize(file: Path, size: int, unpacked: int) -> None:
    """Raise DatasetError for a decompression bomb: a compressed file with far more content than its size suggests."""
    if unpacked > max(LEAST_UNPACKED, TIMES * size):
        raise DatasetError(
            file, f"unpacks to more than {TIMES} times its size; fetch it again, or give it uncompressed"
        )
