"""The paper's tables: this workspace's figures beside the published ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.evaluate.accuracy import AccuracyRow, TokensRow
from kbe_graph.evaluate.guessers import row_of
from kbe_graph.evaluate.outcomes import IMAGE
from kbe_graph.files.resources import data, rows
from kbe_graph.show.tables import FlatTable, row_order
from kbe_graph.statistics.shares import FEWEST, count_text
from kbe_graph.text import fold

if TYPE_CHECKING:
    import pandas as pd


ATTRIBUTES = ("question words", "answer words", "key edges", "distinct relations")
NO_ANSWERS = "No model answers yet; run 'kbe evaluate'."
NOTES: Mapping[int, str] = {
    1: "No judged answers yet.",
    2: "No questions yet.",
    3: "Ratings by people; a workspace has no figures for them.",
    4: NO_ANSWERS,
    5: NO_ANSWERS,
    6: "Properties of methods as stated in the paper; a workspace does not measure them.",
    7: NO_ANSWERS,
}
TITLES: Mapping[int, str] = {
    1: "accuracy by a judge's verdicts (%)",
    2: "question statistics",
    3: "human study",
    4: "accuracy by strict match (%)",
    5: "accuracy with an open model as the generator, by strict match (%)",
    6: "comparison of methods",
    7: "mean length of the models' answers in words",
}
COLUMNS = ("table", "place", "row", "benchmark", "column", "value")


class PublishedFigure(NamedTuple):
    """A cell of a table of the paper: the table's number, its section, the row, benchmark, column and value."""

    table: int
    place: str
    row: str
    benchmark: str
    column: str
    value: str


class PaperCell(NamedTuple):
    """A cell of a table of the paper: this workspace's value with its interval, and the published value."""

    row: str
    benchmark: str
    column: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    questions: int | None = None
    published: str = ""

    @property
    def is_few(self) -> bool:
        """Whether the cell covers too few questions for a share."""
        return self.questions is not None and self.questions < FEWEST

    @property
    def difference(self) -> float | None:
        """This workspace's value minus the published one, if both are numbers."""
        try:
            return None if self.value is None else round(self.value - float(self.published), 4)
        except ValueError:
            return None

    @property
    def text(self) -> str:
        """This workspace's value for readers; a share of few questions is a count."""
        if not isinstance(self.value, float):
            return "" if self.value is None else str(self.value)
        if self.is_few and self.questions and self.low is not None:
            return count_text(self.value / 100, self.questions)
        return f"{self.value:.2f}"


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of the paper; ``note`` qualifies this workspace's figures in it, or states why there are none."""

    number: int
    place: str
    cells: tuple[PaperCell, ...]
    note: str

    @property
    def title(self) -> str:
        """The number and subject of the table."""
        return f"Table {self.number}: {TITLES[self.number]}"

    @property
    def has_values(self) -> bool:
        """Whether any cell has a value of this workspace."""
        return any(cell.value is not None for cell in self.cells)

    def long(self) -> FlatTable:
        """Return the table with one row per cell, for programs."""
        columns = (*PaperCell._fields, "difference")
        cells = [(*cell[:-1], cell.published or None, cell.difference) for cell in self.cells]
        return FlatTable(f"table{self.number}", self.title, columns, cells)

    def wide(self) -> "pd.DataFrame":
        """Return the table in the paper's layout; a cell is this workspace's value, the paper's, and the difference."""
        import pandas as pd

        columns = sorted(
            dict.fromkeys(cell[1:3] for cell in self.cells),
            key=lambda column: (not self._has_own(column[0]), column[0], row_order(column[1])),
        )
        names = {column: " ".join(column).strip() for column in columns}
        rows = list(dict.fromkeys(cell.row for cell in self.cells))
        frame = pd.DataFrame("", index=rows, columns=list(names.values()))
        for cell in self.cells:
            frame.loc[cell.row, names[cell[1:3]]] = " / ".join(_cell_parts(cell))
        return frame

    def _has_own(self, benchmark: str) -> bool:
        return any(cell.value is not None for cell in self.cells if cell.benchmark == benchmark)

    def wide_table(self) -> FlatTable:
        """Return the table in the paper's layout as a flat table, for LaTeX."""
        frame = self.wide()
        cells = [(str(name), *row) for name, row in zip(frame.index, frame.to_numpy().tolist(), strict=True)]
        return FlatTable(f"table{self.number}", self.title, ("", *frame.columns), cells)


def _cell_parts(cell: PaperCell) -> Iterator[str]:
    if cell.text:
        yield cell.text
    if cell.published:
        yield cell.published
    if cell.difference is not None and not cell.is_few:
        yield f"{cell.difference:+.2f}"


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
    by_match = _shares(strict)
    own: Mapping[int, list[PaperCell]] = {
        1: _shares(accuracy),
        2: _statistics(statistics),
        4: by_match,
        5: by_match,
        7: [
            PaperCell(row.model, _benchmark(row.benchmark), row.row, round(row.words, 2), questions=row.answers)
            for row in tokens
            if row.variant == IMAGE
        ],
    }
    by_whom = f"This workspace's questions were worded by {made_by}; the paper's in this table by Qwen2-VL-72B."
    notes = {5: by_whom} if by_match else {}
    return tuple(_table(number, own.get(number, []), notes.get(number, "")) for number in TITLES)


def _shares(accuracy: Iterable[AccuracyRow]) -> list[PaperCell]:
    return [
        PaperCell(
            share.model,
            _benchmark(share.benchmark),
            share.row,
            value=round(100 * share.accuracy, 2),
            low=round(100 * share.low, 2),
            high=round(100 * share.high, 2),
            questions=share.questions,
        )
        for share in accuracy
        if (share.variant, share.samples) == (IMAGE, "all")
    ]


def _statistics(statistics: "pd.DataFrame") -> list[PaperCell]:
    return [
        PaperCell(
            name,
            _benchmark(row["benchmark"]),
            row_of(row["kind"], row["hop"]),
            int(row[name]) if name == "distinct relations" else float(row[name]),
            questions=int(row["questions"]),
        )
        for row in statistics.to_dict("records")
        for name in ATTRIBUTES
    ]


def _benchmark(name: str) -> str:
    return fold(name).replace(" ", "")


def _table(number: int, own: Sequence[PaperCell], note: str) -> PaperTable:
    published = [figure for figure in published_figures() if figure.table == number]
    cells = {figure[2:5]: PaperCell(*figure[2:5], published=figure.value) for figure in published}
    names = {fold(figure.row): figure.row for figure in published}
    for cell in own:
        place = (names.setdefault(fold(cell.row), cell.row), *cell[1:3])
        before = cells.get(place)
        cells[place] = cell._replace(row=place[0], published=before.published if before else "")
    by_row = sorted(cells.values(), key=lambda cell: list(names.values()).index(cell.row))
    return PaperTable(number, published[0].place, tuple(by_row), note or ("" if own else NOTES[number]))


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """Load the figures of tables 1 to 7 of KBE in the paper's order; raises DatasetError and ResourceError."""
    return tuple(
        PublishedFigure(int(number), place, row, benchmark, column, value)
        for _, (number, place, row, benchmark, column, value) in rows(data("published.tsv"), COLUMNS)
    )
