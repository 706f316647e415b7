"""What each module of a benchmark format provides, and what its reader is given."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource
from kbe_graph.types import Sample


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the user gives beside the file: a table's columns, the annotations file, where to save images from cells."""

    columns: Mapping[str, str] = field(default_factory=dict)
    annotations: Path | None = None
    save_images: Path | None = None


class SampleRow(NamedTuple):
    """A sample as its file gives it, and the record it was read from.

    The sample's id is the file's; its split is the file's, or empty.
    """

    record: Record
    sample: Sample


class Format(NamedTuple):
    """A benchmark format: what it looks for (for messages), whether a file has it, and its samples."""

    looks_for: str
    matches: Callable[[RecordSource], bool]
    rows: Callable[[RecordSource, ReadOptions], Iterator[SampleRow]]


def majority(answers: Sequence[str]) -> str:
    """Return the most frequent answer; of several, the one that appears first."""
    return Counter(answers).most_common(1)[0][0]
