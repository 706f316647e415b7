"""What people say of facts: verdicts read from a review sheet, or kept beside a pack in ``review.tsv``."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.files import replacing
from kbe_graph.knowledge.pack import Pack
from kbe_graph.knowledge.table import columns_of, names_in, rows
from kbe_graph.knowledge.writing import SHEET
from kbe_graph.types import Fact

Key = tuple[str, str, str]
"""A fact by subject id, relation and object id."""
COLUMNS = SHEET[:6]
REVIEW = {"right": "reviewed", "wrong": "rejected"}


class Verdict(NamedTuple):
    """What a person says of a fact, right or wrong, why, and which other answers are as right (``|`` between them)."""

    word: Literal["right", "wrong"]
    note: str = ""
    also: str = ""


def read_verdicts(file: Path) -> dict[Key, Verdict]:
    """Return the verdicts of a sheet (``write_sheet``) or of ``review.tsv``, facts without one left out.

    Raises DatasetError with line and field for another word than right or wrong.
    """
    return dict(_verdicts(file, SHEET if columns_of(file) == SHEET else COLUMNS))


def _verdicts(file: Path, columns: tuple[str, ...]) -> Iterator[tuple[Key, Verdict]]:
    for line, (subject, relation, thing, word, note, also, *_) in rows(file, columns):
        if word in {"right", "wrong"}:
            yield (subject, relation, thing), Verdict("right" if word == "right" else "wrong", note, also)
        elif word:
            raise DatasetError(file.name, f"'verdict' is {word!r}; write right or wrong, or leave it empty", line=line)


def kept_verdicts(file: Path) -> dict[Key, Verdict]:
    """Return the verdicts of a file that is there from the first verdict on; raises DatasetError as ``read_verdicts`` does."""
    return read_verdicts(file) if file.exists() else {}


def judged(pack: Pack, verdicts: Mapping[Key, Verdict]) -> Pack:
    """Return a pack whose facts bear the verdicts: reviewed or rejected, with the other answers that are as right."""
    if not verdicts:
        return pack
    facts = (_judged(fact, verdicts.get((fact.subject_id, fact.relation, fact.object_id))) for fact in pack.facts)
    return Pack(tuple(facts), pack.relations, pack.names)


def _judged(fact: Fact, verdict: Verdict | None) -> Fact:
    if verdict is None:
        return fact
    aliases = tuple(dict.fromkeys((*fact.aliases, *names_in(verdict.also))))
    return replace(fact, review=REVIEW[verdict.word], aliases=aliases)


def write_verdicts(file: Path, verdicts: Mapping[Key, Verdict]) -> None:
    """Write verdicts, sorted, to be kept beside a pack as ``review.tsv``."""
    lines = (COLUMNS, *((*key, *verdicts[key]) for key in sorted(verdicts)))
    with replacing(file) as stream:
        stream.writelines("\t".join(" ".join(field.split()) for field in line) + "\n" for line in lines)
