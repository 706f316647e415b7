"""Reads the tab-separated tables of a fact pack, gzipped or not, with the line in every complaint."""

import gzip
from collections.abc import Iterator, Sequence
from importlib.resources.abc import Traversable

from kbe_graph.errors import DatasetError


def rows(file: Traversable, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of a table whose first line is exactly ``columns``; raises DatasetError."""
    content = file.read_bytes()
    text = (gzip.decompress(content) if file.name.endswith(".gz") else content).decode("utf-8")
    head, *lines = text.splitlines() or [""]
    if head.split("\t") != list(columns):
        raise DatasetError(file.name, f"the columns are {head.split(chr(9))!r}; they must be {list(columns)!r}", line=1)
    for line, one in enumerate(lines, start=2):
        fields = one.split("\t")
        if len(fields) != len(columns):
            raise DatasetError(file.name, f"{len(fields)} fields; there must be {len(columns)}", line=line)
        yield line, fields
