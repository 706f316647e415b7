"""What people say of facts: verdicts read from a review sheet, or kept beside a pack in ``review.tsv``."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.writing import SHEET
from kbe_graph.files.tsv import cell_text, columns_of, names_in, rows
from kbe_graph.files.whole import replacing
from kbe_graph.types import Fact

Key = tuple[str, str, str]
"""A fact by subject id, relation and object id."""
COLUMNS = SHEET[:6]
REVIEW = {"right": "reviewed", "wrong": "rejected"}


class FactVerdict(NamedTuple):
    """What a person says of a fact, right or wrong, why, and which other answers are as right (``|`` between them)."""

    word: Literal["right", "wrong"]
    note: str = ""
    also: str = ""


class TakenVerdicts(NamedTuple):
    """Verdicts on facts: how many a sheet gave, and how many facts are right and wrong now, in which file."""

    taken: int
    right: int
    wrong: int
    file: Path


def read_verdicts(file: Path) -> dict[Key, FactVerdict]:
    """Return the verdicts of a sheet (``write_sheet``) or of ``review.tsv``, facts without one left out.

    Raises DatasetError with line and field for another word than right or wrong, and for two that contradict.
    """
    verdicts: dict[Key, tuple[int, FactVerdict]] = {}
    for line, key, verdict in _verdicts(file, SHEET if columns_of(file) == SHEET else COLUMNS):
        first, other = verdicts.setdefault(key, (line, verdict))
        if other.word != verdict.word:
            problem = f"{' '.join(key)!r} is {verdict.word} here and {other.word} at line {first}; keep one of them"
            raise DatasetError(file.name, problem, line=line)
        verdicts[key] = first, verdict
    return {key: verdict for key, (_, verdict) in verdicts.items()}


def _verdicts(file: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, Key, FactVerdict]]:
    for line, cells in rows(file, columns):
        texts = map(cell_text, cells) if columns == SHEET else cells
        subject, relation, thing, word, note, also, *_ = texts
        verdict = word.strip().lower()
        if verdict in {"right", "wrong"}:
            yield line, (subject, relation, thing), FactVerdict("right" if verdict == "right" else "wrong", note, also)
        elif verdict:
            raise DatasetError(file.name, f"'verdict' is {word!r}; write right or wrong, or leave it empty", line=line)


def kept_verdicts(file: Path) -> dict[Key, FactVerdict]:
    """Return the verdicts of a file that exists from the first verdict on; raises DatasetError as ``read_verdicts``."""
    return read_verdicts(file) if file.exists() else {}


def apply_verdicts(pack: Pack, verdicts: Mapping[Key, FactVerdict]) -> Pack:
    """Return a pack whose facts bear the verdicts: reviewed or rejected, with the other answers that are as right."""
    if not verdicts:
        return pack
    facts = (_with_verdict(fact, verdicts.get((fact.subject_id, fact.relation, fact.object_id))) for fact in pack.facts)
    return replace(pack, facts=tuple(facts))


def _with_verdict(fact: Fact, verdict: FactVerdict | None) -> Fact:
    if verdict is None:
        return fact
    aliases = tuple(dict.fromkeys((*fact.aliases, *names_in(verdict.also))))
    return replace(fact, review=REVIEW[verdict.word], aliases=aliases)


def write_verdicts(file: Path, verdicts: Mapping[Key, FactVerdict]) -> None:
    """Write verdicts, sorted, to be kept beside a pack as ``review.tsv``."""
    lines = (COLUMNS, *((*key, *verdicts[key]) for key in sorted(verdicts)))
    with replacing(file) as stream:
        stream.writelines("\t".join(" ".join(field.split()) for field in line) + "\n" for line in lines)


def take_verdicts(sheet: Path, file: Path, *, facts: Collection[Key] | None = None) -> TakenVerdicts:
    """Keep the verdicts of a sheet in the file beside those that are there, and count both.

    A sheet without one changes nothing. Raises DatasetError, also for a fact that is not among the ``facts``.
    """
    taken = read_verdicts(sheet)
    if strangers := [key for key in taken if facts is not None and key not in facts]:
        raise DatasetError(
            sheet,
            f"no fact {' '.join(strangers[0])!r}; `kbe.review_sheet(FILE)` lists them; "
            "another pack is named by `pack=...`",
        )
    verdicts = kept_verdicts(file) | taken
    if taken:
        write_verdicts(file, verdicts)
    wrong = sum(verdict.word == "wrong" for verdict in verdicts.values())
    return TakenVerdicts(len(taken), len(verdicts) - wrong, wrong, file)
