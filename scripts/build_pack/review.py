"""Verdicts of people who read the facts: kept beside the pack, merged at each build."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from row import Row

COLUMNS = ("subject_id", "relation", "object_id", "verdict", "note")
REVIEW = {"right": "reviewed", "wrong": "rejected"}


def read(file: Path) -> dict[tuple[str, str, str], str]:
    """Return reviewed or rejected by subject id, relation and object id."""
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        subject, relation, thing, verdict, _ = line.split("\t")
        found[subject, relation, thing] = REVIEW[verdict]
    return found


def merged(rows: Iterable[Row], verdicts: dict[tuple[str, str, str], str]) -> Iterator[tuple[str, ...]]:
    """Yield the fields of each row, with its verdict, or ``auto`` where nobody has read it."""
    for row in rows:
        yield row.fields(verdicts.get(row.key, "auto"))
