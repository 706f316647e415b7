"""The parts of each module of a benchmark format, and the options of its reader."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource
from kbe_graph.types import Sample


@dataclass(slots=True)
class FileReading:
    """A reader's account of a file: its columns, its answers, and notes.

    ``fields`` are the columns by field, ``left_over`` those that are not read. ``answers`` counts how answers were read
    (``text``, ``letter``, ``number from 0``), ``notes`` the omissions and the needs, in words.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    left_over: tuple[str, ...] = ()
    answers: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The user's options beside the file: a table's columns, the annotations file, where to save images from cells.

    A reader writes its account into ``reading``.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    annotations: Path | None = None
    save_images: Path | None = None
    reading: FileReading = field(default_factory=FileReading)


class SampleRow(NamedTuple):
    """A sample as its file gives it, and the record it was read from.

    The sample's id is the file's; its split is the file's, or empty.
    """

    record: Record
    sample: Sample


class Format(NamedTuple):
    """A benchmark format: the content it looks for (for messages), whether a file has it, and its samples.

    ``columns`` are those that the reader knows, by field, so that a user is told which others are left over.
    """

    looks_for: str
    matches: Callable[[RecordSource], bool]
    rows: Callable[[RecordSource, ReadOptions], Iterator[SampleRow]]
    columns: Mapping[str, str] = {}


def majority(answers: Sequence[str]) -> str:
    """Return the most frequent answer; of several, the one that appears first."""
    return Counter(answers).most_common(1)[0][0]
