"""Writing of packs, and storage of reviewers' verdicts in ``review.tsv`` beside a pack."""

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.facts.pack import COLUMNS, FACTS, Pack
from kbe_graph.facts.relation import COLUMNS as RELATION_COLUMNS
from kbe_graph.facts.relation import FILE, cells
from kbe_graph.files.resources import names_in, rows
from kbe_graph.files.whole import replacing
from kbe_graph.types import Fact

KEPT_COLUMNS = ("subject_id", "relation", "object_id", "verdict", "note", "also")
REVIEW = {"right": "reviewed", "wrong": "rejected"}


def write_pack(folder: Path, pack: Pack) -> None:
    """Write a pack as files that ``read_pack`` reads, with reproducible bytes; raises InputError."""
    facts = [[*(getattr(fact, column) for column in COLUMNS[:-1]), _also(fact, pack)] for fact in pack.facts]
    names = [[concept, pack.label(concept), "|".join(_plain(pack.aliases(concept)))] for concept in sorted(pack.names)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write a pack in {str(folder)!r}: {error.strerror}; choose another place") from None
    with replacing(folder / FACTS) as stream:
        stream.buffer.write(gzip.compress(_table(COLUMNS, facts).encode(), mtime=0))
    with replacing(folder / FILE) as stream:
        stream.write(_table(RELATION_COLUMNS, [cells(relation) for relation in pack.relations.values()]))
    with replacing(folder / "aliases.tsv") as stream:
        stream.write(_table(("concept", "label", "aliases"), [row for row in names if row[2]]))


def _also(fact: Fact, pack: Pack) -> str:
    return "|".join(_plain(name for name in fact.aliases if name not in pack.aliases(fact.object_id)))


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join("\t".join(map(_clean, row)) + "\n" for row in (columns, *rows))


def _clean(field: str) -> str:
    return " ".join(field.split())


def _plain(names: Iterable[str]) -> list[str]:
    return [name for name in names if "|" not in name]


Key = tuple[str, str, str]
"""A fact by subject id, relation and object id."""


class FactVerdict(NamedTuple):
    """A reviewer's verdict on a fact (right or wrong), a note, and other correct answers separated by ``|``."""

    word: Literal["right", "wrong"]
    note: str = ""
    also: str = ""


def read_verdicts(file: Path) -> dict[Key, FactVerdict]:
    """Read the verdicts of ``review.tsv``; facts without one are skipped.

    Raises DatasetError with line and field for a word other than right or wrong, and for contradicting verdicts.
    """
    verdicts: dict[Key, tuple[int, FactVerdict]] = {}
    for line, key, verdict in _verdicts(file):
        first, other = verdicts.setdefault(key, (line, verdict))
        if other.word != verdict.word:
            problem = f"{' '.join(key)!r} is {verdict.word} here and {other.word} at line {first}; keep one of them"
            raise DatasetError(file.name, problem, line=line)
        verdicts[key] = first, verdict
    return {key: verdict for key, (_, verdict) in verdicts.items()}


def _verdicts(file: Path) -> Iterator[tuple[int, Key, FactVerdict]]:
    for line, (subject, relation, thing, word, note, also) in rows(file, KEPT_COLUMNS):
        verdict = word.strip().lower()
        if verdict in {"right", "wrong"}:
            yield line, (subject, relation, thing), FactVerdict("right" if verdict == "right" else "wrong", note, also)
        elif verdict:
            raise DatasetError(file.name, f"'verdict' is {word!r}; write right or wrong, or leave it empty", line=line)


def kept_verdicts(file: Path) -> dict[Key, FactVerdict]:
    """Read a file of verdicts, which may not exist yet; raises DatasetError as ``read_verdicts`` does."""
    return read_verdicts(file) if file.exists() else {}


def apply_verdicts(pack: Pack, verdicts: Mapping[Key, FactVerdict]) -> Pack:
    """Mark the facts of a pack as reviewed or rejected, and add the other correct answers."""
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
    """Write sorted verdicts to ``file``, usually ``review.tsv`` beside a pack."""
    lines = (KEPT_COLUMNS, *((*key, *verdicts[key]) for key in sorted(verdicts)))
    with replacing(file) as stream:
        stream.writelines("\t".join(" ".join(field.split()) for field in line) + "\n" for line in lines)


def add_verdict(file: Path, fact: Key, verdict: FactVerdict) -> None:
    """Add a verdict on a fact to ``file``; other correct answers from an earlier verdict are kept unless replaced."""
    verdicts = kept_verdicts(file)
    former = verdicts.get(fact)
    also = verdict.also or (former.also if former else "")
    write_verdicts(file, {**verdicts, fact: verdict._replace(also=also)})
