"""The tables of a report, and its figures as files: tables as JSON, CSV and LaTeX, charts as SVG and PNG."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.evaluate.outcomes import IMAGE, operations_of
from kbe_graph.files.resources import sheet_cell
from kbe_graph.files.whole import replacing
from kbe_graph.show.charts import Chart, png, svg
from kbe_graph.show.report_data import ReportData
from kbe_graph.show.tables import FlatTable, cell_text, make_folder
from kbe_graph.types import VARIANTS

if TYPE_CHECKING:
    import pandas as pd

EVALUATION: Mapping[str, str] = {
    "accuracy": "Accuracy",
    "answered": "Replies and judgements",
    "hops": "Paired differences between hops",
    "trends": "Change in accuracy per hop",
    "power": "Power of the comparisons",
    "chains": "Accuracy by the earlier hop",
    "right_after_wrong": "Right after a wrong answer",
    "errors": "Share wrong by last relation and source",
    "circular": "Right in every rotation of the options",
    "stability": "Same answer when asked again",
    "variants": "Paired differences between variants",
}
SURFACE: Mapping[str, tuple[str, str]] = {
    "changes": ("surface", "Surface changes and hops"),
    "costs": ("surface-knowledge", "Hops minus surface"),
}


def report_tables(data: ReportData) -> Iterator[FlatTable]:
    """Yield the non-empty tables of a report, except the paper's; shares and differences are from 0 to 1."""
    named = [(row, of["asked"], of["right"], of["share"], ", ".join(of["by"])) for row, of in data.named.items()]
    by_judge = ("model", "judged by", "answers", "right by the judge", "right by strict match", "both say the same")
    tables = (
        _funnel(data),
        FlatTable("relations", "Relations", ("benchmark", "row", "different relations"), data.relations),
        _of_dicts("variety", "Variety of the questions by hop", data.variety.astype(object).to_dict("records")),
        FlatTable("difficulty", "Models that fail", ("row", "models that fail", "questions"), data.difficulty),
        *_evaluation(data),
        _variants(data),
        *_items(data),
        _of_dicts("memory", "Memory or difficulty", data.memory),
        *_surface(data),
        _guesses(data),
        FlatTable("named", "Named without the picture", ("row", "asked", "named", "share", "named by"), named),
        FlatTable("judges", "Judge and strict match", by_judge, data.judges),
        _costs(data),
    )
    yield from (table for table in tables if table.rows)


def _of_dicts(name: str, title: str, rows: Iterable[Mapping[Any, Any]]) -> FlatTable:
    dicts = list(rows)
    columns = tuple(dicts[0]) if dicts else ()
    heads = tuple(column.replace("_", " ") for column in columns)
    return FlatTable(name, title, heads, [[row[column] for column in columns] for row in dicts])


def _evaluation(data: ReportData) -> Iterator[FlatTable]:
    figures = data.results.as_mapping()
    figures["accuracy"] = [row for row in figures["accuracy"] if row["variant"] == IMAGE]
    figures["power"] = [row for row in figures["power"] if row["model"]]
    for name, title in EVALUATION.items():
        yield _of_dicts("variant-differences" if name == "variants" else name, title, figures[name])


def _funnel(data: ReportData) -> FlatTable:
    rows = [
        (
            *(stage.name, stage.kept, stage.of),
            f"{100 * stage.share:.0f}" if stage.loaded else "",
            "; ".join(f"{name} {n}" for name, n in stage.reasons.items()),
        )
        for stage in data.funnel
    ]
    return FlatTable("funnel", "Kept at each stage", ("stage", "kept", "of", "% of all samples", "the others"), rows)


def _variants(data: ReportData) -> FlatTable:
    cells = [row for row in data.results.accuracy if row.samples == "all"]
    variants = {row.variant for row in cells}
    asked = [*(variant for variant in VARIANTS if variant in variants), *operations_of(variants)]
    shares = {(row.benchmark, row.model, row.judge, row.row, row.variant): round(row.accuracy, 6) for row in cells}
    places = dict.fromkeys(place[:4] for place in shares) if len(asked) > 1 else {}
    rows = [[*place, *(shares.get((*place, variant)) for variant in asked)] for place in places]
    return FlatTable("variants", "Accuracy by variant", ("benchmark", "model", "judge", "row", *asked), rows)


def _surface(data: ReportData) -> Iterator[FlatTable]:
    for name, rows in data.surface.as_mapping().items():
        yield _of_dicts(*SURFACE[name], rows)


def _items(data: ReportData) -> Iterator[FlatTable]:
    items = data.item_table
    review = items.negative[["question", "item_rest", "failing", "models"]].round(6).astype(object)
    yield _of_dicts("review", "Failed more often by better models", review.to_dict("records"))
    edges = [
        {"failed by": "the share of the models" if name == "all" else name, **edge}
        for name, edge in items.summary()["edges"].items()
        if edge
    ]
    yield _of_dicts("edges", "Correlation of key edges with failure", edges)


def _guesses(data: ReportData) -> FlatTable:
    rows = [
        (row.row, guesser, figure.share, figure.low, figure.high, figure.questions)
        for row in (data.guesses.rows if data.guesses else ())
        for guesser, figure in row.guessers.items()
    ]
    columns = ("row", "guessed by", "share", "low", "high", "questions")
    return FlatTable("guesses", "Guessed without the picture", columns, rows)


def _costs(data: ReportData) -> FlatTable:
    lines = data.costs.lines if data.costs else ()
    rows = [(line.step, line.model, line.calls, line.prompt, line.output, round(line.dollars, 6)) for line in lines]
    columns = ("step", "model", "calls", "prompt tokens", "output tokens", "dollars")
    return FlatTable("costs", "Model calls", columns, rows)


def write_figures(format_: str, data: ReportData, charts: Sequence[Chart], place: Path) -> None:
    """Write the figures of a report to a file (``json``), or to a folder (``csv``, ``latex``, ``figures``: the charts).

    No cell of a CSV file is a formula; a LaTeX file needs the packages booktabs and amssymb. Raises InputError.
    """
    tables = [*(table.long() for table in data.tables), *report_tables(data)]
    if format_ == "json":
        figures = {"run": data.run} | {table.name: table.frame.to_dict("records") for table in tables}
        _write(place, json.dumps(figures, ensure_ascii=False, indent=2) + "\n")
        return
    make_folder(place)
    if format_ == "csv":
        write_csv({table.name: table.frame for table in tables}, place)
    elif format_ == "latex":
        papers = {f"table{table.number}": table.wide().reset_index(names="") for table in data.tables}
        for name, frame in (papers | {table.name: table.frame for table in report_tables(data)}).items():
            _write(place / f"{name}.tex", latex_table(frame))
    else:
        for chart in charts:
            _write(place / f"{chart.name}.svg", svg(chart))
            with replacing(place / f"{chart.name}.png") as stream:
                stream.buffer.write(png(chart))


def write_csv(frames: "Mapping[str, pd.DataFrame]", folder: Path) -> None:
    """Write data frames as CSV files of a folder, with no cell that is a formula. Raises InputError."""
    make_folder(folder)
    for name, frame in frames.items():
        safe = frame.map(lambda cell: sheet_cell(cell) if isinstance(cell, str) else cell)
        _write(folder / f"{name}.csv", safe.to_csv(index=False, lineterminator="\n"))


def _write(file: Path, text: str) -> None:
    with replacing(file) as stream:
        stream.write(text)


def latex_table(frame: "pd.DataFrame") -> str:
    """Format a table as a LaTeX ``tabular``."""
    shown = frame.map(lambda cell: " ".join(cell_text(cell).split()))
    alignment = "l" + "r" * (len(frame.columns) - 1)
    text = shown.to_latex(index=False, escape=True, column_format=alignment)
    return text.replace("✓", r"\checkmark{}").replace("✗", r"$\times$")
