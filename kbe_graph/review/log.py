"""The log of decisions, ``.kbe/reviews.jsonl``: one line per decision, written to disk before the graph."""

import json
import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kbe_graph.errors import InputError, KbeWarning
from kbe_graph.files.record import Record
from kbe_graph.files.whole import private_file
from kbe_graph.review.review_record import read_review, review_line
from kbe_graph.types import Review

FILE = "reviews.jsonl"
PATIENCE = 30.0  # seconds to keep looking for a logged decision in the graph
LONGEST = 1 << 20  # bytes read to find the last line


Logged = tuple[str, str]  # ids: of a decision and of its question


@dataclass(frozen=True, slots=True)
class ReviewLog:
    """The append-only file of all decisions of a workspace."""

    file: Path

    def append(self, reviews: Sequence[Review]) -> None:
        """Append decisions and sync them to disk. Raises InputError if they cannot be written."""
        if not reviews:
            return
        lines = "".join(map(review_line, reviews))
        try:
            with private_file(self.file).open("ab") as stream:
                stream.write(f"{self._break()}{lines}".encode())
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise InputError(
                f"cannot write {str(self.file)!r}: {error.strerror}; the decision was not saved; enter it again"
            ) from None

    def _break(self) -> str:
        with self.file.open("rb") as stream:
            if not stream.seek(0, os.SEEK_END):
                return ""
            stream.seek(-1, os.SEEK_END)
            return "" if stream.read(1) == b"\n" else "\n"

    def last(self) -> str:
        """Read the id of the last decision; empty if there is none or its line was truncated."""
        if not self.file.exists():
            return ""
        with self.file.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - LONGEST))
            line = stream.read().rstrip(b"\n").rpartition(b"\n")[2]
        return str(_fields(line).get("id", ""))

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return self.file.stat().st_size if self.file.exists() else 0

    def since(self, start: int) -> tuple[list[Logged], int]:
        """Read the decisions in complete lines from byte ``start``, and the offset after the last of them."""
        if self.size <= start:
            return [], self.size
        with self.file.open("rb") as stream:
            stream.seek(start)
            lines, line_break, _ = stream.read().rpartition(b"\n")
        wanted = {"id", "question"}
        written = [fields for line in lines.splitlines() if wanted <= (fields := _fields(line)).keys()]
        new = [(str(fields["id"]), str(fields["question"])) for fields in written]
        return new, start + len(lines) + len(line_break)

    def read(self) -> list[Review]:
        """Read all decisions in order; warns (KbeWarning) about a truncated line and skips it.

        Raises DatasetError for a line with other content.
        """
        if not self.file.exists():
            return []
        reviews: dict[str, Review] = {}
        for record in self._records():
            review = read_review(record)
            reviews.setdefault(review.id, review)
        return list(reviews.values())

    def _records(self) -> Iterator[Record]:
        for number, line in enumerate(self.file.read_bytes().splitlines(), start=1):
            try:
                fields: Any = json.loads(line)
            except (ValueError, RecursionError):
                _tell_cut(self.file, number)
                continue
            yield Record(self.file, fields if isinstance(fields, dict) else {}, line=number)


class LogFollower:
    """A reader of decisions that other processes log; those not yet in the graph are returned again for a while."""

    def __init__(self, log: ReviewLog) -> None:
        self._log, self._end = log, log.size
        self._missed: dict[Logged, float] = {}  # with the time since when

    def new(self) -> list[Logged]:
        """Return the decisions logged since the last call, and those being waited for."""
        new, self._end = self._log.since(self._end)
        return [*self._missed, *new]

    def wait_for(self, decisions: Sequence[Logged]) -> None:
        """Return these decisions again for some time, as a decision is in the log before it is in the graph."""
        now = time.monotonic()
        since = {decision: self._missed.get(decision, now) for decision in decisions}
        self._missed = {decision: first for decision, first in since.items() if now - first < PATIENCE}


def _fields(line: bytes) -> Mapping[str, Any]:
    try:
        fields: Any = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _tell_cut(file: Path, line: int) -> None:
    warnings.warn(
        f"{file} line {line} was cut off, and the decision in it is lost; review that question again",
        KbeWarning,
        stacklevel=4,
    )
