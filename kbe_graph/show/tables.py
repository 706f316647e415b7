"""Tables with a name and a title, as data frames and on a page; the paper's tables beside this workspace's figures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from kbe_graph.figures.accuracy import AccuracyRow
from kbe_graph.figures.outcomes import IMAGE, row_of, row_order
from kbe_graph.files.resources import data, rows
from kbe_graph.statistics import FEWEST, count_text
from kbe_graph.text import fold

if TYPE_CHECKING:
    import pandas as pd

COUNTS = ("pairs", "questions", "rows", "asked")  # the number of questions behind a row's figures
MOST = 50  # rows of a table in a page
Cell = str | int | float | None


class FlatTable(NamedTuple):
    """A table whose name is also its file name; empty cells are None."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]

    @property
    def frame(self) -> "pd.DataFrame":
        """The table as a data frame of objects, so that counts beside empty cells stay whole numbers."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(self.columns), dtype=object)


def cell_text(cell: Cell) -> str:
    """Format a cell for readers: floats with four decimals, tiny ones in scientific notation.

    >>> cell_text(0.75), cell_text(0.00003), cell_text(None)
    ('0.7500', '3e-05', '')
    """
    if not isinstance(cell, float):
        return "" if cell is None else str(cell)
    return f"{cell:.4f}" if cell == 0 or abs(cell) >= 0.0001 else f"{cell:.0e}"


class PageTable(NamedTuple):
    """A table as HTML with a note on its rows that only the files have; the title is that of the table."""

    title: str
    html: str
    note: str


def page_table(table: FlatTable) -> PageTable:
    """Format a table for a page, with all text escaped and ids of questions as links to them.

    Rows of few questions are left out, because an interval and a p-value say nothing about them.
    """
    frame = table.frame
    counts = frame[[name for name in COUNTS if name in frame]]
    enough = frame[(counts.fillna(FEWEST) >= FEWEST).all(axis=1)]
    notes = []
    if few := len(frame) - len(enough):
        notes.append(f"{few} rows with fewer than {FEWEST} questions, too few for an interval, are not shown.")
    if len(enough) > MOST:
        notes.append(f"The first {MOST} of {len(enough)} rows.")
    if notes:
        notes.append("'kbe report --json' and 'kbe report --csv' write all rows.")
    html = "" if enough.empty else frame_html(enough.head(MOST))
    return PageTable(table.title, html, " ".join(notes))


def frame_html(frame: "pd.DataFrame", *, index: bool = False) -> str:
    """Return a data frame as an HTML table with all text escaped."""
    import pandas as pd

    shown = frame.map(lambda cell: escape(cell_text(cell)))
    if "question" in frame:
        shown["question"] = [_link(str(id_)) for id_ in frame["question"]]
    shown = shown.rename(columns=escape, index=lambda name: escape(str(name)))
    with pd.option_context("display.max_colwidth", None):
        return shown.to_html(index=index, escape=False, border=0, index_names=False)


def _link(question: str) -> str:
    return f'<a href="#{quote(question)}">{escape(question)}</a>'


ATTRIBUTES = ("question words", "answer words", "key edges", "distinct relations")
NO_ANSWERS = "No model answers yet; run 'kbe evaluate'."
TITLES: Mapping[int, tuple[str, str]] = {
    1: ("accuracy by a judge's verdicts (%)", "No judged answers yet."),
    2: ("question statistics", "No questions yet."),
    4: ("accuracy by strict match (%)", NO_ANSWERS),
    7: ("mean length of the models' answers in words", NO_ANSWERS),
}
"""The title of each table, and the note on it if the workspace has no figures."""
COLUMNS = ("table", "place", "row", "benchmark", "column", "value")


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
    def difference(self) -> float | None:
        """This workspace's value minus the published one, if both are numbers."""
        try:
            return None if self.value is None else round(self.value - float(self.published), 4)
        except ValueError:
            return None

    def __str__(self) -> str:
        """Return this workspace's value, the paper's and the difference; a share of few questions is a count."""
        is_few = self.questions is not None and self.questions < FEWEST
        if not isinstance(self.value, float):
            own = "" if self.value is None else str(self.value)
        elif is_few and self.questions and self.low is not None:
            own = count_text(self.value / 100, self.questions)
        else:
            own = f"{self.value:.2f}"
        difference = "" if self.difference is None or is_few else f"{self.difference:+.2f}"
        return " / ".join(filter(None, (own, self.published, difference)))


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of the paper; ``note`` states why this workspace has no figures in it."""

    number: int
    place: str
    cells: tuple[PaperCell, ...]
    note: str

    @property
    def title(self) -> str:
        """The number and subject of the table."""
        return f"Table {self.number}: {TITLES[self.number][0]}"

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
        """Return the table in the paper's layout, columns with a value of this workspace first."""
        import pandas as pd

        own = {cell.benchmark for cell in self.cells if cell.value is not None}
        columns = dict.fromkeys(cell[1:3] for cell in self.cells)
        ordered = sorted(columns, key=lambda place: (place[0] not in own, place[0], row_order(place[1])))
        names = {place: " ".join(place).strip() for place in ordered}
        frame = pd.DataFrame(
            "", index=list(dict.fromkeys(cell.row for cell in self.cells)), columns=list(names.values())
        )
        for cell in self.cells:
            frame.loc[cell.row, names[cell[1:3]]] = str(cell)
        return frame


def paper_tables(
    accuracy: Iterable[AccuracyRow],
    tokens: Iterable[Mapping[str, Any]],
    strict: Iterable[AccuracyRow],
    statistics: "pd.DataFrame",
) -> tuple[PaperTable, ...]:
    """Build tables 1, 2, 4 and 7 of KBE, those that a workspace has figures for.

    ``accuracy`` is by one judge, ``tokens`` holds answer lengths, ``strict`` is the accuracy by strict match, and
    ``statistics`` is a frame of ``by_hop``. Models, benchmarks and attributes that have a name in the paper use its row
    or column; others follow.
    """
    words = [
        PaperCell(
            row["model"], _benchmark(row["benchmark"]), row["row"], round(row["words"], 2), questions=row["answers"]
        )
        for row in tokens
        if row["variant"] == IMAGE
    ]
    own = {1: _shares(accuracy), 2: _statistics(statistics), 4: _shares(strict), 7: words}
    return tuple(_table(number, cells) for number, cells in own.items())


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


def _table(number: int, own: Sequence[PaperCell]) -> PaperTable:
    place, published = published_figures()[number]
    cells = {cell[:3]: cell for cell in published}
    names = {fold(cell.row): cell.row for cell in published}
    for cell in own:
        row = names.setdefault(fold(cell.row), cell.row)
        before = cells.get((row, *cell[1:3]))
        cells[row, *cell[1:3]] = cell._replace(row=row, published=before.published if before else "")
    order = list(names.values())
    by_row = sorted(cells.values(), key=lambda cell: order.index(cell.row))
    return PaperTable(number, place, tuple(by_row), "" if own else TITLES[number][1])


@cache
def published_figures() -> Mapping[int, tuple[str, list[PaperCell]]]:
    """Load tables of KBE, each with its section and its cells; raises DatasetError and ResourceError."""
    tables: dict[int, tuple[str, list[PaperCell]]] = {}
    for _, (number, place, row, benchmark, column, value) in rows(data("published.tsv"), COLUMNS):
        tables.setdefault(int(number), (place, []))[1].append(PaperCell(row, benchmark, column, published=value))
    return tables
