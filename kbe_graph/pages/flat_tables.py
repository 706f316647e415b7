"""The figures of a report as tables of rows and columns, for files and for the page."""

from collections.abc import Iterator
from typing import Any

from kbe_graph.pages.evaluation_tables import evaluation_tables
from kbe_graph.pages.report_values import Cell, FlatTable, PaperTable, ReportData

INTERVAL = ("low", "high", "questions")


def flat_tables(data: ReportData) -> Iterator[FlatTable]:
    """Give each table of the report that has rows; shares are from 0 to 1, those in the paper's tables per cent."""
    tables = (
        _funnel(data),
        _relations(data),
        _variety(data),
        _difficulty(data),
        *evaluation_tables(data),
        _guesses(data),
        _judges(data),
        _costs(data),
    )
    yield from (table for table in tables if table.rows)


def cell_text(cell: Cell) -> str:
    """Return a cell as people read it: fractions with four decimals, and what is smaller by its order.

    >>> cell_text(0.75), cell_text(0.00003), cell_text(None)
    ('0.7500', '3e-05', '')
    """
    if not isinstance(cell, float):
        return "" if cell is None else str(cell)
    return f"{cell:.4f}" if cell == 0 or abs(cell) >= 0.0001 else f"{cell:.0e}"


def long_table(table: PaperTable) -> FlatTable:
    """Return a table of the paper with a row a cell, for programs."""
    columns = ("row", "benchmark", "column", "value", *INTERVAL, "published", "difference")
    rows = [
        (row, *column, *cell[:4], cell.published or None, cell.difference)
        for (row, column), cell in table.cells.items()
    ]
    return FlatTable(f"table{table.number}", f"Table {table.number}: {table.title}", columns, rows)


def wide_table(table: PaperTable) -> FlatTable:
    """Return a table of the paper in its layout: under each row the published values, and what they differ by."""
    columns = ("", *(" ".join(column).strip() for column in table.columns))
    rows = list(_wide_rows(table))
    return FlatTable(f"table{table.number}", f"Table {table.number}: {table.title}", columns, rows)


def _wide_rows(table: PaperTable) -> Iterator[tuple[Cell, ...]]:
    for row in table.rows:
        cells = [table.cells.get((row, column)) for column in table.columns]
        lines: tuple[tuple[str, list[Any]], ...] = (
            (row, [cell and _wide_cell(cell.value) for cell in cells]),
            (f"{row} (paper)", [cell and (cell.published or None) for cell in cells]),
            (f"{row} (difference)", [cell and _wide_cell(cell.difference) for cell in cells]),
        )
        yield from ((name, *values) for name, values in lines if any(value is not None for value in values))


def _wide_cell(value: float | None) -> Cell:
    return f"{value:.2f}" if isinstance(value, float) else value


def _funnel(data: ReportData) -> FlatTable:
    rows = [
        (stage.stage, stage.kept, stage.tried, "; ".join(f"{name} {count}" for name, count in stage.reasons.items()))
        for stage in data.funnel
    ]
    return FlatTable("funnel", "What is left at each stage", ("stage", "kept", "of", "the others"), rows)


def _relations(data: ReportData) -> FlatTable:
    return FlatTable("relations", "Relations", ("benchmark", "row", "different relations"), data.relations)


def _variety(data: ReportData) -> FlatTable:
    rows = data.variety.astype(object).to_numpy().tolist()
    return FlatTable("variety", "The questions of each hop as a set", tuple(data.variety.columns), rows)


def _difficulty(data: ReportData) -> FlatTable:
    title = "How many models fail a question"
    return FlatTable("difficulty", title, ("row", "models that fail", "questions"), data.difficulty)


def _guesses(data: ReportData) -> FlatTable:
    rows = [
        (row.row, guesser, figure.share, figure.low, figure.high, figure.questions)
        for row in (data.guesses.rows if data.guesses else ())
        for guesser, figure in row.guessers.items()
    ]
    return FlatTable("guesses", "Guessed without the picture", ("row", "guessed by", "share", *INTERVAL), rows)


def _judges(data: ReportData) -> FlatTable:
    columns = ("model", "judged by", "answers", "right by the judge", "right by strict match", "both say the same")
    return FlatTable("judges", "The judge against strict match", columns, data.judges)


def _costs(data: ReportData) -> FlatTable:
    costs = data.costs
    rows: list[tuple[Cell, ...]] = [
        (line.step, line.model, line.calls, line.prompt, line.output, round(line.dollars, 6))
        for line in (costs.lines if costs else ())
    ]
    columns = ("step", "model", "calls", "prompt tokens", "output tokens", "dollars")
    return FlatTable("costs", "Calls of models", columns, rows)
