"""Tables with a name and a title, which are data frames, and how a page shows them."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from kbe_graph.statistics import FEWEST

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
    return PageTable(table.title, "" if enough.empty else _html(enough.head(MOST)), " ".join(notes))


def _html(frame: "pd.DataFrame") -> str:
    import pandas as pd

    shown = frame.map(lambda cell: escape(cell_text(cell))).rename(columns=escape)
    shown = shown.loc[:, (shown != "").any()]
    if "question" in frame:
        shown["question"] = [_link(str(id_)) for id_ in frame["question"]]
    with pd.option_context("display.max_colwidth", None):
        return shown.to_html(index=False, escape=False, border=0)


def _link(question: str) -> str:
    return f'<a href="#{quote(question)}">{escape(question)}</a>'
