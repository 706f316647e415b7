"""Lines and tables for a terminal, laid out by ``rich`` and never truncated; all text is data, not markup."""

import io
import shutil
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kbe_graph.text import visible

LineStyle = Literal["sample", "picture", "question", "answer", "fact", "path", "reason", "heading", "text"]
STYLES = {
    "sample": "bold underline",
    "heading": "bold",
    "question": "bold",
    "answer": "green",
    "reason": "yellow",
    "fact": "dim",
    "path": "cyan",
}
WIDTH = 100
NARROWEST = 20  # columns; narrower terminals are treated as this wide


class Line(NamedTuple):
    """A line of a story or a screen: its style, its text, and the cells before it, the first of them its label.

    Lines with a label, and those that go on from them, form columns; without one, a line has the whole width.
    """

    style: LineStyle
    text: str
    cells: tuple[str, ...] = ()


def terminal_width() -> int:
    """Return the width of the terminal in columns."""
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST)


def rendered(lines: Iterable[Line], *, width: int, colours: bool = False) -> str:
    """Lay out lines for a terminal of ``width`` columns."""
    parts: list[RenderableType] = []
    for (count, is_path), group in groupby(lines, key=lambda line: (len(line.cells), line.style == "picture")):
        if is_path:  # whole, so that it can be clicked and copied
            paths = (visible(f"  {line.cells[0]:<8} {line.text}") for line in group)
            parts += [Group(Text(path, overflow="ignore", no_wrap=True)) for path in paths]
            continue
        if not count:
            parts += [styled(line.text, line.style) for line in group]
            continue
        grid = Table.grid(padding=(0, 1))
        for place in range(count):
            grid.add_column(justify="right" if place else "left", min_width=0 if place else 8, no_wrap=True)
        grid.add_column(overflow="fold")
        for line in group:
            grid.add_row(*map(styled, line.cells), styled(line.text, line.style))
        parts.append(Padding(grid, (0, 0, 0, 2)))
    return printed(*parts, width=width, colours=colours)


def styled(text: str, style: str = "text") -> Text:
    """Return a text in a style; control characters in it are escaped."""
    return Text("\n".join(map(visible, text.split("\n"))), STYLES.get(style, ""), overflow="fold")


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, width: int, colours: bool = False) -> str:
    """Lay out a table; long cells are wrapped, and columns of numbers are aligned to the right.

    Where a word would be cut, each row is a record of a line a column.
    """
    drawn = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    styles = [{"text": "question"}.get(name.rpartition(".")[2], name.rpartition(".")[2]) for name in columns]
    for place, name in enumerate(columns):
        is_numeric = all(_is_number(row[place]) for row in rows)
        drawn.add_column(styled(name), justify="right" if is_numeric else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(styled(cell, style) for cell, style in zip(row, styles, strict=True)))
    wide = Console(width=10 * sum(map(len, columns)) + 1_000, legacy_windows=False)
    if Measurement.get(wide, wide.options, drawn).minimum <= width:
        return printed(drawn, width=width, colours=colours)
    return printed(*(_record(columns, row, styles) for row in rows), width=width, colours=colours)


def _record(columns: Sequence[str], row: Sequence[str], styles: Sequence[str]) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for name, cell, style in zip(columns, row, styles, strict=True):
        grid.add_row(styled(name, "heading"), styled(cell, style))
    return Padding(grid, (0, 0, 1, 0))


def _is_number(cell: str) -> bool:
    return not cell or cell.removesuffix("%").strip().lstrip("+-").replace(".", "").replace(",", "").isdigit()


def printed(*parts: RenderableType, width: int, colours: bool = False) -> str:
    """Return what ``rich`` prints, without blanks at the ends of lines."""
    stream = io.StringIO()
    system: Literal["standard"] | None = "standard" if colours else None
    console = Console(
        file=stream, width=width, force_terminal=colours, color_system=system, highlight=False, legacy_windows=False
    )
    console.print(*parts, sep="\n", soft_wrap=False, crop=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
