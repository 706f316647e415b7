"""One row of the pack, and how rows are written: sorted, tab-separated, gzip without a time stamp."""

import gzip
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple


class Source(NamedTuple):
    """Where rows come from: name, version, date and licence."""

    name: str
    version: str
    date: str
    licence: str


class Row(NamedTuple):
    """A fact with its evidence, before a verdict; ``also`` holds what is as right an object of it, ``|`` between."""

    subject_id: str
    subject: str
    relation: str
    object_id: str
    object: str
    source: Source
    ref: str
    evidence: str
    also: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it one fact."""
        return self.subject_id, self.relation, self.object_id

    def fields(self, review: str, also: str = "") -> tuple[str, ...]:
        """Return the fields of the file, with a verdict and what else is a right answer."""
        name, version, date, licence = self.source
        names = "|".join(filter(None, (self.also, also)))
        return (*self[:5], name, version, date, self.ref, self.evidence, licence, review, names)


def once(rows: Iterable[Row]) -> list[Row]:
    """Return the rows sorted, the first of those that say the same fact."""
    first: dict[tuple[str, str, str], Row] = {}
    for row in rows:
        first.setdefault(row.key, row)
    return [first[key] for key in sorted(first)]


def write(file: Path, columns: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    """Write a table; a name that ends in ``.gz`` is compressed, and the same lines give the same bytes."""
    text = "".join("\t".join(_clean(field) for field in line) + "\n" for line in (columns, *lines))
    if file.suffix == ".gz":
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as stream:
            stream.write(text.encode())
        file.write_bytes(packed.getvalue())
    else:
        file.write_text(text, encoding="utf-8")


def _clean(field: str) -> str:
    return " ".join(field.split())
