"""The figures of a report as flat tables, for files and for the page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kbe_graph.evaluate.memory_table import MemoryRow
from kbe_graph.evaluate.outcomes import IMAGE, operations_of
from kbe_graph.evaluate.reply_reading import WITHOUT_ANSWER
from kbe_graph.evaluate.results import Results
from kbe_graph.pages.report_values import Cell, FlatTable, PaperTable, ReportData
from kbe_graph.pages.surface_tables import surface_tables
from kbe_graph.report.stages import FunnelStage
from kbe_graph.types import VARIANTS

INTERVAL = ("low", "high", "questions")


def flat_tables(data: ReportData) -> Iterator[FlatTable]:
    """Yield the non-empty tables of a report, except the paper's; shares are from 0 to 1 unless the column says %."""
    tables = (
        _funnel(data),
        _relations(data),
        _variety(data),
        _difficulty(data),
        *evaluation_tables(data),
        *surface_tables(data),
        _guesses(data),
        _named_rows(data),
        _judges(data),
        _costs(data),
    )
    yield from (table for table in tables if table.rows)


def cell_text(cell: Cell) -> str:
    """Format a cell for readers: floats with four decimals, tiny ones in scientific notation.

    >>> cell_text(0.75), cell_text(0.00003), cell_text(None)
    ('0.7500', '3e-05', '')
    """
    if not isinstance(cell, float):
        return "" if cell is None else str(cell)
    return f"{cell:.4f}" if cell == 0 or abs(cell) >= 0.0001 else f"{cell:.0e}"


def long_table(table: PaperTable) -> FlatTable:
    """Convert a table of the paper to one row per cell, for programs."""
    columns = ("row", "benchmark", "column", "value", *INTERVAL, "published", "difference")
    rows = [
        (row, *column, *cell[:4], cell.published or None, cell.difference)
        for (row, column), cell in table.cells.items()
    ]
    return FlatTable(f"table{table.number}", f"Table {table.number}: {table.title}", columns, rows)


def wide_table(table: PaperTable) -> FlatTable:
    """Convert a table of the paper to the paper's layout, with published values and differences under each row."""
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
        (
            stage.name,
            stage.kept,
            stage.of,
            _of_loaded(stage),
            "; ".join(f"{name} {n}" for name, n in stage.reasons.items()),
        )
        for stage in data.funnel
    ]
    return FlatTable("funnel", "Kept at each stage", ("stage", "kept", "of", "% of all samples", "the others"), rows)


def _of_loaded(stage: FunnelStage) -> Cell:
    return f"{100 * stage.share:.0f}" if stage.loaded else ""


def _relations(data: ReportData) -> FlatTable:
    return FlatTable("relations", "Relations", ("benchmark", "row", "different relations"), data.relations)


def _variety(data: ReportData) -> FlatTable:
    rows = data.variety.astype(object).to_numpy().tolist()
    return FlatTable("variety", "Variety of the questions by hop", tuple(data.variety.columns), rows)


def _difficulty(data: ReportData) -> FlatTable:
    title = "Number of models that fail a question"
    return FlatTable("difficulty", title, ("row", "models that fail", "questions"), data.difficulty)


def _guesses(data: ReportData) -> FlatTable:
    rows = [
        (row.row, guesser, figure.share, figure.low, figure.high, figure.questions)
        for row in (data.guesses.rows if data.guesses else ())
        for guesser, figure in row.guessers.items()
    ]
    return FlatTable("guesses", "Guessed without the picture", ("row", "guessed by", "share", *INTERVAL), rows)


def _named_rows(data: ReportData) -> FlatTable:
    columns = ("row", "asked", "named", "share", "named by")
    return FlatTable("named", "Named without the picture", columns, data.named)


def _judges(data: ReportData) -> FlatTable:
    columns = ("model", "judged by", "answers", "right by the judge", "right by strict match", "both say the same")
    return FlatTable("judges", "Judge and strict match", columns, data.judges)


def _costs(data: ReportData) -> FlatTable:
    costs = data.costs
    rows: list[tuple[Cell, ...]] = [
        (line.step, line.model, line.calls, line.prompt, line.output, round(line.dollars, 6))
        for line in (costs.lines if costs else ())
    ]
    columns = ("step", "model", "calls", "prompt tokens", "output tokens", "dollars")
    return FlatTable("costs", "Model calls", columns, rows)


_MODEL = ("benchmark", "model", "judge")
_ENDS = ("low", "high")
_TEST = ("pairs", "difference", *_ENDS, "p", "holm")


def evaluation_tables(data: ReportData) -> Iterator[FlatTable]:
    """Yield the tables of model answers, including empty ones; shares and differences are from 0 to 1."""
    figures = data.results.as_mapping()
    asked_plainly = [row for row in figures["accuracy"] if row["variant"] == IMAGE]
    share = ("row", "samples", "accuracy", *_ENDS, "error", "questions", "images", "runs", "spread", "unsteady")
    yield _table("accuracy", "Accuracy", asked_plainly, (*_MODEL, *share))
    replies = ("variant", "row", "questions", "asked", "answered", *WITHOUT_ANSWER, "judged")
    yield _table("answered", "Replies and judgements", figures["answered"], (*_MODEL, *replies))
    paired = (*_MODEL, "samples", "before", "after", *_TEST, "method")
    yield _table("hops", "Paired differences between hops", figures["hops"], paired)
    trend = (*_MODEL, "samples", "slope", *_ENDS, "p", "questions")
    yield _table("trends", "Change in accuracy per hop", figures["trends"], trend)
    power = (*_MODEL, "before", "after", "pairs", "discordance", "detectable", "needed")
    yield _table("power", "Power of the comparisons", [row for row in figures["power"] if row["model"]], power)
    chain = (*_MODEL, "row", "earlier", "right", *_ENDS, "questions")
    yield _table("chains", "Accuracy by the earlier hop", figures["chains"], chain)
    right_after_wrong = (*_MODEL, "row", "earlier_row", "question")
    yield _table("right_after_wrong", "Right after a wrong answer", figures["right_after_wrong"], right_after_wrong)
    errors = (*_MODEL, "by", "name", "wrong", *_ENDS, "questions")
    yield _table("errors", "Share wrong by last relation and source", figures["errors"], errors)
    yield from _items(data)
    yield _memory(data.memory)
    yield _variants(data.results)
    circular = (*_MODEL, "row", "all_right", *_ENDS, "accuracy", "questions", "incomplete")
    yield _table("circular", "Right in every rotation of the options", figures["circular"], circular)
    stability = (*_MODEL, "variant", "row", "same_answer", *_ENDS, "same_verdict", "questions", "runs")
    yield _table("stability", "Same answer when asked again", figures["stability"], stability)
    differences = (*_MODEL, "row", "before", "after", *_TEST)
    yield _table("variant-differences", "Paired differences between variants", figures["variants"], differences)


def _table(name: str, title: str, rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> FlatTable:
    """Build a table from ``rows``, limited to ``columns``."""
    heads = tuple(column.replace("_", " ") for column in columns)
    return FlatTable(name, title, heads, [[row[column] for column in columns] for row in rows])


def _items(data: ReportData) -> Iterator[FlatTable]:
    summary = data.item_table.summary()
    review = ("question", "item_rest", "failing", "models")
    items = data.item_table.negative[list(review)].round(6).itertuples(index=False, name=None)
    rows = [dict(zip(review, item, strict=True)) for item in items]
    yield _table("review", "Failed more often by better models", rows, review)
    yield _table("abilities", "Rasch abilities", summary["abilities"], ("model", "ability", "error"))
    edges = [
        {"failed by": "the share of the models" if name == "all" else name, **edge}
        for name, edge in summary["edges"].items()
        if edge
    ]
    yield _table("edges", "Correlation of key edges with failure", edges, ("failed by", "r", *_ENDS, "rows"))


def _memory(rows: Sequence[MemoryRow]) -> FlatTable:
    columns = (
        "model",
        "judge",
        "verdict",
        "reason",
        "pairs",
        "original",
        "paraphrase",
        "difference",
        *_ENDS,
        "p",
        "cap alarm",
    )
    return FlatTable("memory", "Memory or difficulty", columns, [_memory_row(row) for row in rows])


def _memory_row(row: MemoryRow) -> list[Cell]:
    finding, cap = row.finding, row.cap
    alarm = "" if cap.alarm is None else "no"
    if cap.alarm:
        alarm = f"the key in {cap.hits} of {cap.right} right answers, {cap.expected:.0f} expected by chance"
    figures = [cell if cell is None else round(cell, 6) for cell in (*finding[3:8], finding.p)]
    return [row.model, row.judge, finding.verdict, finding.reason, finding.pairs, *figures, alarm]


def _variants(results: Results) -> FlatTable:
    """Tabulate accuracy with a column per variant; the table is empty if there is only one variant."""
    cells = [row for row in results.accuracy if row.samples == "all"]
    variants = {row.variant for row in cells}
    asked = [*(variant for variant in VARIANTS if variant in variants), *operations_of(variants)]
    shares = {(row.benchmark, row.model, row.judge, row.row, row.variant): round(row.accuracy, 6) for row in cells}
    places = dict.fromkeys(place[:4] for place in shares) if len(asked) > 1 else {}
    rows = [[*place, *(shares.get((*place, variant)) for variant in asked)] for place in places]
    return FlatTable("variants", "Accuracy by variant", (*_MODEL, "row", *asked), rows)
