"""Tables that a user brings to try something on: TSV, CSV, JSONL, JSON or Parquet, gzipped or not."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from kbe_graph.errors import DatasetError
from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source
from kbe_graph.text import quoted


def read_rows(file: Path, required: Sequence[str]) -> Iterator[Record]:
    """Yield the rows of a table; raises DatasetError before the first where a column of ``required`` is missing."""
    source = open_source(file)
    if missing := [column for column in required if column not in source.fields]:
        raise DatasetError(file, f"no {missing[0]!r} column; found {quoted(source.fields)}", line=1)
    yield from source.records()
