"""Writes packs, and sheets to review them with."""

import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path

from kbe_graph.errors import InputError
from kbe_graph.facts.pack import COLUMNS, FACTS, Pack
from kbe_graph.facts.relation import COLUMNS as RELATION_COLUMNS
from kbe_graph.facts.relation import FILE, cells
from kbe_graph.files.tsv import sheet_cell
from kbe_graph.files.whole import replacing
from kbe_graph.types import Fact

SHEET = (
    *("subject_id", "relation", "object_id", "verdict", "note", "also"),
    *("subject", "object", "evidence", "source", "source_version", "source_ref", "review"),
)


def write_pack(folder: Path, pack: Pack) -> None:
    """Write a pack as the files that ``read_pack`` reads, the same bytes for the same facts; raises InputError."""
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


def write_sheet(file: Path, pack: Pack) -> int:
    """Write a sheet of the facts that nobody has reviewed, a line a fact, and return how many there are.

    A reviewer writes ``right`` or ``wrong`` under verdict, and under also, ``|`` between them, other answers that are
    as right; the first six columns are those of ``review.tsv``. A cell
    that a spreadsheet would take as a formula begins with an apostrophe. Raises InputError.
    """
    facts = [fact for fact in pack.facts if fact.review == "auto"]
    with replacing(file) as stream:
        stream.write(_table(SHEET, [[sheet_cell(getattr(fact, column, "")) for column in SHEET] for fact in facts]))
    return len(facts)


def _also(fact: Fact, pack: Pack) -> str:
    return "|".join(_plain(name for name in fact.aliases if name not in pack.aliases(fact.object_id)))


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join("\t".join(map(_clean, row)) + "\n" for row in (columns, *rows))


def _clean(field: str) -> str:
    return " ".join(field.split())


def _plain(names: Iterable[str]) -> list[str]:
    return [name for name in names if "|" not in name]
