"""A check tried on a table, row by row."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from kbe_graph.checks.explained import entry
from kbe_graph.checks.guessable import Guessable
from kbe_graph.checks.registry import build_checks
from kbe_graph.checks.row import Row, candidate
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.facts.pack import Pack, pack
from kbe_graph.facts.walk import Walk
from kbe_graph.files.records import read_rows
from kbe_graph.types import Decision


def try_check(
    name: str, file: Path, *, settings: FilterSettings | None = None, knowledge: Pack | None = None
) -> Iterator[dict[str, str]]:
    """Yield each row of a table with what a check says of it: ``verdict`` (kept or dropped), ``reason``, ``detail``.

    Read are the columns of ``checks.row.Row``; the entry's ``columns`` must be there. Raises ConfigError for an unknown
    name or a reason that no row can show, and DatasetError for a table without the columns.
    """
    chosen = entry(name)
    records = list(read_rows(file, chosen.columns))
    columns = [column for column in Row._fields if column in records[0].fields]
    rows = [Row(**{column: record.optional(column) for column in columns}) for record in records]
    decisions = _decisions(chosen.name, rows, settings or FilterSettings(), knowledge or pack())
    for row, decision in zip(rows, decisions, strict=True):
        verdict = "kept" if decision.keep else "dropped"
        cells = {column: getattr(row, column) for column in columns}
        yield {**cells, "verdict": verdict, "reason": decision.reason, "detail": decision.detail}


def _decisions(name: str, rows: Sequence[Row], settings: FilterSettings, knowledge: Pack) -> list[Decision]:
    walk = Walk(knowledge)
    candidates = [candidate(row, walk) for row in rows]
    if name == Guessable.name:
        return Guessable(settings).decide(candidates)
    check = next(check for check in build_checks(knowledge, settings).all if check.name == name)
    return [check.decide(each) for each in candidates]
