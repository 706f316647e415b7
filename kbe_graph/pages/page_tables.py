"""Tables for a page, which shows counts instead of shares of few questions, and common values only once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.extras import missing_line
from kbe_graph.pages.flat_tables import cell_text
from kbe_graph.pages.report_values import Cell, FlatTable
from kbe_graph.statistics.shares import FEWEST, count_text

COUNTS = ("pairs", "questions", "rows", "asked")  # the number of questions behind a row's figures
SHARES = frozenset(
    {
        *("accuracy", "difference", "right", "wrong", "share", "share before", "share after", "all right"),
        *("same answer", "same verdict", "original", "paraphrase"),
    }
)
POINTS = frozenset({"difference", "slope", "surface", "knowledge", "detectable"})  # differences of shares
PERCENT = SHARES | {
    *("to wrong", "to right", "refused", "rejected", "refused share", "rejected share", "flips", "spread", "unsteady"),
    *("stable right", "brittle right", "raw", "discordance", "rooted"),
    *("largest relation", "largest chain", "largest answer"),
}
ENDS = frozenset({"low", "high", "error", "stable low", "stable high", "brittle low", "brittle high"})
MOST = 100  # rows of a table in a page
SHOWN = 12  # rows of a table before it is expanded
UNCERTAIN = frozenset({"low", "high", "error", "p", "holm", "slope", "r", "spread", "unsteady", "method"})
SHARED = frozenset({"benchmark", "judge", "samples", "variant", "method"})
UNJUDGED = "no judged model answers yet"
SECTIONS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "accuracy": ("Accuracy by hop", ("accuracy",), f"{UNJUDGED}; run 'kbe evaluate'"),
    "items": ("Questions", ("items",), "no questions yet; run 'kbe evolve'"),
    "funnel": ("Kept at each stage", ("funnel",), "no samples yet; load a benchmark with 'kbe load'"),
    "hops": (
        "From hop to hop",
        ("hops", "trends", "chains"),
        "no model has judged answers at two hops of the same sample",
    ),
    "surface": (
        "Surface or knowledge",
        ("surface", "operations"),
        "no answers to perturbed questions yet; run 'kbe perturb', then 'kbe evaluate --variants'",
    ),
    "errors": ("Errors by relation and source", ("errors",), "no judged answers to explored questions yet"),
    "paper": ("The paper's tables", ("paper",), ""),
    "relations": ("Relations by hop", ("relations", "variety"), "no questions yet"),
    "difficulty": ("Difficulty of the questions", ("difficulty", "review", "abilities", "edges"), UNJUDGED),
    "memory": (
        "Memory or difficulty",
        ("memory",),
        "no answers to paraphrased raw questions yet; run 'kbe evaluate --variant image --variant paraphrase'",
    ),
    "variants": (
        "Variants of the questions",
        ("variants", "circular", "stability", "variant-differences"),
        "questions were asked in one variant only",
    ),
    "guesses": ("Guessed without the picture", ("guesses", "named"), "not measured"),
    "judges": ("Judge and strict match", ("judges",), UNJUDGED),
    "costs": ("Cost", ("costs",), "no model calls, so no cost"),
}
"""The sections of a page in order: the title, the tables that fill it, and the reason if all of them are absent."""


class PageTable(NamedTuple):
    """A table of a page: the values common to all rows, by name, and the other columns as text.

    ``numeric`` marks the columns that hold numbers, ``shown`` lists the indices of the rows visible before expansion,
    and ``total`` is the number of rows in the files.
    """

    title: str
    common: Mapping[str, Cell]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    shown: tuple[int, ...]
    total: int
    has_few: bool


def page_table(table: FlatTable) -> PageTable:
    """Format a table for a page: shares in per cent; rows of few questions collapsed, with counts only.

    If there are several rows, columns with a common value are removed.
    """
    rows = [_sure(table.columns, row) for row in table.rows]
    units = [_unit(table, place) for place in range(len(table.columns))]
    common = {
        name: rows[0][place]
        for place, name in enumerate(table.columns)
        if name in SHARED and len(rows) > 1 and len({row[place] for row in rows}) == 1
    }
    kept = [place for place, name in enumerate(table.columns) if name not in common]
    enough = [place for place, row in enumerate(table.rows) if _fewest(table.columns, row) >= FEWEST]
    shown = enough[:SHOWN]
    places = sorted({*shown, *range(len(rows))[:MOST]})
    return PageTable(
        table.title,
        common,
        tuple(_head(table.columns, place, units[place]) for place in kept),
        tuple(tuple(_text(row[place], units[place]) for place in kept) for row in map(rows.__getitem__, places)),
        tuple(any(isinstance(row[place], int | float) for row in table.rows) for place in kept),
        tuple(map(places.index, shown)),
        len(rows),
        len(enough) < len(rows),
    )


def _unit(table: FlatTable, place: int) -> str:
    """Return the unit of a column: %, points, ends (of an interval, in the unit of its share), or none."""
    name = table.columns[place]
    if not any(isinstance(row[place], float) for row in table.rows):
        return ""
    if name in ENDS:
        return "ends" if not (PERCENT | POINTS).isdisjoint(table.columns) else ""
    if name in POINTS:
        return "points"
    return "%" if name in PERCENT or table.name == "variants" else ""


def _head(columns: Sequence[str], place: int, unit: str) -> str:
    name = columns[place]
    if name == "p" and "holm" not in columns:
        return "p, not corrected"
    return f"{name}, {unit}" if unit in {"%", "points"} else name


def _text(cell: Cell, unit: str) -> str:
    """Format a cell for readers; shares become percentages with one decimal."""
    if not unit or not isinstance(cell, float):
        return cell_text(cell)
    return f"{100 * cell:{'+' if unit == 'points' else ''}.1f}"


def _sure(columns: Sequence[str], row: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the cells of a row; for few questions, shares become counts and measures of uncertainty None."""
    fewest = _fewest(columns, row)
    if fewest >= FEWEST:
        return tuple(row)
    return tuple(_few(name, cell, fewest) for name, cell in zip(columns, row, strict=True))


def _fewest(columns: Sequence[str], row: Sequence[Cell]) -> int:
    counts = [cell for name, cell in zip(columns, row, strict=True) if name in COUNTS and isinstance(cell, int)]
    return min(counts, default=FEWEST)


def _few(name: str, cell: Cell, count: int) -> Cell:
    if name in UNCERTAIN:
        return None
    return (
        count_text(cell, count, signed=name == "difference")
        if name in SHARES and isinstance(cell, int | float)
        else cell
    )


def absent_sections(present: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Map each section that has none of its tables in ``present`` to its title and the reason."""
    tables_of_page = {"paper", *present}
    absent = {
        name: (title, why) for name, (title, tables, why) in SECTIONS.items() if tables_of_page.isdisjoint(tables)
    }
    if "guesses" in absent and (lack := missing_line("guess")):
        absent["guesses"] = (absent["guesses"][0], lack)
    return absent
