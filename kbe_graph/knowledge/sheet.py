"""Review sheets: facts written out for a person to read, verdicts read back and joined to those already kept."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.files import replacing
from kbe_graph.knowledge.table import rows
from kbe_graph.types import Fact

Key = tuple[str, str, str]
Word = Literal["right", "wrong"]
COLUMNS = (
    "subject_id",
    "relation",
    "object_id",
    "subject",
    "object",
    "evidence",
    "source",
    "source_ref",
    "verdict",
    "note",
)
VERDICTS = ("subject_id", "relation", "object_id", "verdict", "note")
_WORDS = {"auto": "", "reviewed": "right", "rejected": "wrong"}


class Verdict(NamedTuple):
    """What a person says of a fact: right or wrong, and why."""

    word: Word
    note: str = ""


def write_sheet(file: Path, facts: Iterable[Fact]) -> int:
    """Write the facts to a sheet, what is known of their verdicts filled in, and return their number.

    Whoever reads it writes right or wrong under ``verdict``; an empty one is not read yet.
    """
    lines = [_line(fact) for fact in facts]
    _write(file, (COLUMNS, *lines))
    return len(lines)


def _line(fact: Fact) -> tuple[str, ...]:
    return (
        *(fact.subject_id, fact.relation, fact.object_id, fact.subject, fact.object, fact.evidence, fact.source),
        *(fact.source_ref, _WORDS[fact.review], ""),
    )


def read_sheet(file: Path) -> dict[Key, Verdict]:
    """Return the verdicts of a sheet, rows without one left out; raises DatasetError with line and field."""
    return dict(_verdicts(file, COLUMNS, word_at=8))


def read_verdicts(file: Path) -> dict[Key, Verdict]:
    """Return the verdicts kept beside a pack (``review.tsv``); raises DatasetError."""
    return dict(_verdicts(file, VERDICTS, word_at=3))


def write_verdicts(file: Path, verdicts: Mapping[Key, Verdict]) -> None:
    """Write verdicts, sorted, to be kept beside a pack."""
    _write(file, (VERDICTS, *((*key, *verdicts[key]) for key in sorted(verdicts))))


def _write(file: Path, lines: Iterable[tuple[str, ...]]) -> None:
    with replacing(file) as stream:
        stream.writelines("\t".join(" ".join(field.split()) for field in line) + "\n" for line in lines)


def _verdicts(file: Path, columns: tuple[str, ...], *, word_at: int) -> Iterator[tuple[Key, Verdict]]:
    for line, fields in rows(file, columns):
        word, note = fields[word_at], fields[word_at + 1]
        if word in {"right", "wrong"}:
            yield (fields[0], fields[1], fields[2]), Verdict("right" if word == "right" else "wrong", note)
        elif word:
            raise DatasetError(file.name, f"'verdict' is {word!r}; write right or wrong, or leave it empty", line=line)
