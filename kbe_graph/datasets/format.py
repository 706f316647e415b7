"""Common types of the benchmark formats, and the options of their readers."""

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
    """A report on how a file was read: its columns, answers and notes.

    ``fields`` are the columns by field, ``left_over`` those not read. ``answers`` counts the ways in which answers were
    given (``text``, ``letter``, ``number from 0``); ``notes`` counts omissions and problems, described in words.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    left_over: tuple[str, ...] = ()
    answers: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options for reading a file: a table's columns, the annotations file, and the folder for embedded images.

    The reader reports in ``reading``.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    annotations: Path | None = None
    save_images: Path | None = None
    reading: FileReading = field(default_factory=FileReading)


class SampleRow(NamedTuple):
    """A sample as given in the file, and the record that it was read from.

    The sample's id is the file's own; so is its split, which may be empty.
    """

    record: Record
    sample: Sample


class Format(NamedTuple):
    """A benchmark format: the content it looks for (for messages), a test for this content, and a reader of samples.

    ``columns`` are the columns that the reader knows, by field, so that the remaining ones can be reported.
    """

    looks_for: str
    matches: Callable[[RecordSource], bool]
    rows: Callable[[RecordSource, ReadOptions], Iterator[SampleRow]]
    columns: Mapping[str, str] = {}


def majority(answers: Sequence[str]) -> str:
    """Return the most frequent answer; on a tie, the first one."""
    return Counter(answers).most_common(1)[0][0]
