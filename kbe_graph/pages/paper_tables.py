"""The paper's tables in its layout: this workspace's figures beside the published ones."""

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.evaluate.accuracy import AccuracyRow, TokensRow
from kbe_graph.evaluate.guessers import row_of
from kbe_graph.evaluate.outcomes import IMAGE
from kbe_graph.files.resources import data, rows
from kbe_graph.pages.report_values import PaperTable, TableCell, TableColumn, row_order
from kbe_graph.text import fold

if TYPE_CHECKING:
    import pandas as pd


ATTRIBUTES = ("question words", "answer words", "key edges", "distinct relations")
NO_ANSWERS = "No model answers yet; run 'kbe evaluate'."
NO_JUDGE = "No judged answers yet."
NOTES: Mapping[int, str] = {
    1: NO_JUDGE,
    2: "No questions yet.",
    3: "Ratings by people; a workspace has no figures for them.",
    4: NO_ANSWERS,
    5: NO_ANSWERS,
    6: "Properties of methods as stated in the paper; a workspace does not measure them.",
    7: NO_ANSWERS,
}


class OwnFigure(NamedTuple):
    """A figure of this workspace for a cell of a table."""

    row: str
    benchmark: str
    part: str
    value: float
    low: float | None = None
    high: float | None = None
    questions: int | None = None


def paper_tables(
    accuracy: Iterable[AccuracyRow],
    tokens: Iterable[TokensRow],
    strict: Iterable[AccuracyRow],
    statistics: "pd.DataFrame",
    made_by: str,
) -> tuple[PaperTable, ...]:
    """Build tables 1 to 7 of KBE.

    ``accuracy`` is by one judge, ``tokens`` holds answer lengths, ``strict`` is the accuracy by strict match, and
    ``statistics`` is a frame of ``by_hop``; ``made_by`` names the generator of the questions. Models, benchmarks and
    attributes that have a name in the paper use its row or column; others follow.
    """
    strict_figures = _shares(strict)
    own: Mapping[int, list[OwnFigure]] = {
        1: _shares(accuracy),
        2: _statistics(statistics),
        4: strict_figures,
        5: strict_figures,
        7: _words(tokens),
    }
    by_whom = f"This workspace's questions were worded by {made_by}; the paper's in this table by Qwen2-VL-72B."
    notes = {5: by_whom} if strict_figures else {}
    return tuple(_table(number, own.get(number, []), notes.get(number, "")) for number in TITLES)


def _shares(accuracy: Iterable[AccuracyRow]) -> list[OwnFigure]:
    return [
        _figure_of(share, *(round(100 * part, 2) for part in (share.accuracy, share.low, share.high)))
        for share in accuracy
        if (share.variant, share.samples) == (IMAGE, "all")
    ]


def _figure_of(share: AccuracyRow, value: float, low: float, high: float) -> OwnFigure:
    return OwnFigure(share.model, _benchmark(share.benchmark), share.row, value, low, high, share.questions)


def _statistics(statistics: "pd.DataFrame") -> list[OwnFigure]:
    return [
        OwnFigure(
            name,
            _benchmark(row["benchmark"]),
            row_of(row["kind"], row["hop"]),
            int(row[name]) if name == "distinct relations" else float(row[name]),
            questions=int(row["questions"]),
        )
        for row in statistics.to_dict("records")
        for name in ATTRIBUTES
    ]


def _words(tokens: Iterable[TokensRow]) -> list[OwnFigure]:
    return [
        OwnFigure(row.model, _benchmark(row.benchmark), row.row, round(row.words, 2), questions=row.answers)
        for row in tokens
        if row.variant == IMAGE
    ]


def _benchmark(name: str) -> str:
    """Normalise a benchmark's name to the spelling in the published figures: OK-VQA becomes okvqa."""
    return fold(name).replace(" ", "")


def _table(number: int, own: Sequence[OwnFigure], note: str) -> PaperTable:
    figures = [figure for figure in published_figures() if figure.table == number]
    cells = {
        (figure.row, TableColumn(figure.benchmark, figure.column)): TableCell(published=figure.value)
        for figure in figures
    }
    names = {fold(figure.row): figure.row for figure in figures}
    for figure in own:
        place = names.setdefault(fold(figure.row), figure.row), TableColumn(figure.benchmark, figure.part)
        cells[place] = TableCell(*figure[3:], published=cells.get(place, TableCell()).published)
    columns = dict.fromkeys(column for _, column in cells)
    return PaperTable(
        number,
        TITLES[number],
        figures[0].place,
        tuple(names.values()),
        _in_order(columns, {figure.benchmark for figure in own}) if own else tuple(columns),
        cells,
        note or ("" if own else NOTES[number]),
    )


def _in_order(columns: Iterable[TableColumn], own: Container[str]) -> tuple[TableColumn, ...]:
    """Sort columns by benchmark, those of this workspace first, then by row."""
    benchmarks = list(dict.fromkeys(column.benchmark for column in columns))
    benchmarks.sort(key=lambda name: name not in own)
    return tuple(sorted(columns, key=lambda column: (benchmarks.index(column.benchmark), row_order(column.name))))


COLUMNS = ("table", "place", "row", "benchmark", "column", "value")
TITLES: Mapping[int, str] = {
    1: "accuracy by a judge's verdicts (%)",
    2: "question statistics",
    3: "human study",
    4: "accuracy by strict match (%)",
    5: "accuracy with an open model as the generator, by strict match (%)",
    6: "comparison of methods",
    7: "mean length of the models' answers in words",
}


class PublishedFigure(NamedTuple):
    """A cell of a table of the paper: the table's number, its section, the row, benchmark, column and value."""

    table: int
    place: str
    row: str
    benchmark: str
    column: str
    value: str


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """Load the figures of tables 1 to 7 of KBE in the paper's order; raises DatasetError and ResourceError."""
    return tuple(
        PublishedFigure(int(number), place, row, benchmark, column, value)
        for _, (number, place, row, benchmark, column, value) in rows(data("published.tsv"), COLUMNS)
    )
