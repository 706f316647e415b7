"""Facts that any general encyclopedia tells, in the project's own words, from a curated table: no source was opened.

Those that a resource states are given it by ``witness.py``; the others are unsourced. ``known.tsv`` names senses as
``definitions.tsv`` does; ``=ITF`` is a name that WordNet lacks. ``heading`` is the entry under which an encyclopedia
tells the fact, ``claim`` the fact as a sentence.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from definitions import concept
from noun import Nouns
from row import Row, Source

from kbe_graph.types import UNSOURCED

COLUMNS = ("subject", "relation", "object", "heading", "claim")
SOURCE = Source(UNSOURCED, "0.1.0", "2026-11-23", "Apache-2.0")


class KnownError(Exception):
    """A line of the curated table that cannot be read."""


def rows(nouns: Nouns, file: Path, lineages: Iterable[Row]) -> Iterator[Row]:
    """Yield the facts of the table; a family keeps the id that ``lineages`` gives it.

    Raises KnownError with the line where a sense is unknown or a field is missing.
    """
    taxa = {row.object: row.object_id for row in lineages}
    lines = file.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines[1:], start=2):
        try:
            subject, relation, thing, heading, claim = line.split("\t")
            subject_id, name = _named(nouns, subject, taxa)
            object_id, object_name = _named(nouns, thing, taxa)
            yield Row(subject_id, name, relation, object_id, object_name, SOURCE, f"entry: {heading}", claim)
        except (KeyError, IndexError, ValueError) as problem:
            raise KnownError(f"{file.name} line {number}: {line!r}: {problem}") from problem


def _named(nouns: Nouns, key: str, taxa: Mapping[str, str]) -> tuple[str, str]:
    if key.startswith("="):
        return taxa.get(key[1:]) or f"name:{key[1:].casefold().replace(' ', '-')}", key[1:]
    return concept(nouns, key)[1:]
