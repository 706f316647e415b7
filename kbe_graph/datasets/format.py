"""What each benchmark format module gives, and what its reader is told."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from kbe_graph.datasets.record import Record
from kbe_graph.datasets.source import Source
from kbe_graph.types import Sample


@dataclass(frozen=True, slots=True)
class Options:
    """What the user says beside the file: columns of a table, the annotations file, where to save images from cells."""

    columns: Mapping[str, str] = field(default_factory=dict)
    annotations: Path | None = None
    save_images: Path | None = None


class Row(NamedTuple):
    """A sample as its file gives it (the id is the source's, the split its own or ``""``), and the record it is from."""

    record: Record
    sample: Sample


class Format(NamedTuple):
    """A benchmark format: what it looks for (for messages), whether a file has it, and its samples."""

    looks_for: str
    matches: Callable[[Source], bool]
    rows: Callable[[Source, Options], Iterator[Row]]


def majority(answers: Sequence[str]) -> str:
    """Return the most frequent answer; of several, the one that appears first."""
    return Counter(answers).most_common(1)[0][0]
