"""A filter tried on a table, row by row."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from kbe_graph.filters.catalogue import CONCENTRATION, NOUN, build, entry
from kbe_graph.filters.concentration import assign
from kbe_graph.filters.noun import is_noun
from kbe_graph.filters.row import Row, candidate
from kbe_graph.filters.settings import FilterSettings
from kbe_graph.knowledge.pack import Pack, pack
from kbe_graph.knowledge.walk import Walk
from kbe_graph.tables import read_rows
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Decision


def try_filter(
    name: str, file: Path, *, settings: FilterSettings | None = None, knowledge: Pack | None = None
) -> Iterator[dict[str, str]]:
    """Yield each row of a table with what the filter ``name`` says of it: ``verdict`` (kept or dropped), ``reason``, ``detail``.

    Read are the columns of ``filters.row.Row``; the entry's ``columns`` must be there. Raises ConfigError for an unknown name and
    DatasetError for a table without them.
    """
    records = list(read_rows(file, entry(name).columns))
    columns = [column for column in Row._fields if column in records[0].fields]
    rows = [Row(**{column: record.optional(column) for column in columns}) for record in records]
    decisions = _decisions(name, rows, settings or FilterSettings(), knowledge or pack())
    for row, decision in zip(rows, decisions, strict=True):
        verdict = "kept" if decision.keep else "dropped"
        cells = {column: getattr(row, column) for column in columns}
        yield {**cells, "verdict": verdict, "reason": decision.reason, "detail": decision.detail}


def _decisions(name: str, rows: Sequence[Row], settings: FilterSettings, knowledge: Pack) -> list[Decision]:
    if name == NOUN.name:
        return [is_noun(row.question, row.answer) for row in rows]
    if name == CONCENTRATION.name:
        return _concentration([fold(row.answer) for row in rows], settings)
    walk = Walk(knowledge)
    chosen = next(one for one in build(knowledge, settings) if one.name == name)
    return [chosen.decide(candidate(row, walk)) for row in rows]


def _concentration(answers: Sequence[str], settings: FilterSettings) -> list[Decision]:
    choices = {str(place): (answer,) for place, answer in enumerate(answers)}
    chosen = assign(choices, {}, 0, share=settings.share, floor=settings.floor)
    refused = Decision(keep=False, reason=CONCENTRATION.reason, detail=f"over {settings.share:.0%} of all answers")
    return [KEEP if place == 0 else refused for place in chosen.values()]
