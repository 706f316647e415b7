"""Tables with a name and a title, which are data frames, and how a page shows them."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from kbe_graph.statistics import FEWEST

if TYPE_CHECKING:
    import pandas as pd

COUNTS = ("pairs", "questions", "rows", "asked")  # the number of questions behind a row's figures
PLAIN = ("question words", "answer words", "key edges", "p", "holm", "design effect")  # floats that are no shares
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
    has_interval = "low" in frame or "p" in frame
    enough = frame[(counts.fillna(FEWEST) >= FEWEST).all(axis=1)] if has_interval else frame
    notes = []
    if few := len(frame) - len(enough):
        notes.append(f"{few} rows with fewer than {FEWEST} questions, too few for an interval, are not shown.")
    if len(enough) > MOST:
        notes.append(f"The first {MOST} of {len(enough)} rows.")
    if notes:
        notes.append("'kbe report --json' and 'kbe report --csv' write all rows.")
    return PageTable(table.title, "" if enough.empty else _html(enough.head(MOST), table.name), " ".join(notes))


def page_text(cell: Cell, column: str, table: str) -> str:
    """Format a cell as ``kbe evaluate`` does: a share in per cent, another number short.

    >>> page_text(0.625, "accuracy", "accuracy"), page_text(7.6, "question words", "statistics")
    ('62.5', '7.6')
    """
    if not isinstance(cell, float):
        return cell_text(cell)
    is_plain = table in {"edges", "review", "costs"} or column in PLAIN or column.startswith("effective")
    return f"{cell:.3g}" if is_plain else f"{100 * cell:.1f}"


def _html(frame: "pd.DataFrame", table: str) -> str:
    import pandas as pd

    shown = frame.apply(lambda cells: cells.map(lambda cell: escape(page_text(cell, str(cells.name), table))))
    shown = shown.rename(columns=escape)
    shown = shown.loc[:, (shown != "").any()]
    if "question" in frame:
        shown["question"] = [_link(str(id_)) for id_ in frame["question"]]
    with pd.option_context("display.max_colwidth", None):
        return shown.to_html(index=False, escape=False, border=0)


def _link(question: str) -> str:
    return f'<a href="#{quote(question)}">{escape(question)}</a>'
