"""Tables that a user brings to try something on: TSV, CSV, JSONL, JSON or Parquet, gzipped or not."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from kbe_graph.datasets.record import Record
from kbe_graph.datasets.source import open_source
from kbe_graph.errors import DatasetError


def read_rows(file: Path, required: Sequence[str]) -> Iterator[Record]:
    """Yield the rows of a table that has at least the columns ``required``; raises DatasetError, before the first row."""
    source = open_source(file)
    if missing := [column for column in required if column not in source.fields]:
        found = ", ".join(map(repr, source.fields))
        raise DatasetError(file, f"no {missing[0]!r} column; found {found}", line=1)
    yield from source.records()
