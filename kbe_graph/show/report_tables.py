"""The tables of a report, and the files that they are written to."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.evaluate.outcomes import IMAGE, operations_of
from kbe_graph.files.whole import replacing
from kbe_graph.plugins import Registry
from kbe_graph.show.charts import Chart, png, svg
from kbe_graph.show.report_data import ReportData
from kbe_graph.show.tables import (
    FlatTable,
    make_folder,
    plain_tables,
    write_csv_tables,
    write_json_object,
    write_latex_tables,
)
from kbe_graph.types import VARIANTS

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


class FigureFormat(NamedTuple):
    """A format of a report's figures: its description in help texts, and the function that writes it."""

    about: str
    write: Callable[[ReportData, Sequence[Chart], Path], None]


def write_json(data: ReportData, file: Path) -> None:
    """Write all tables as one JSON object with a list of rows per table; raises InputError."""
    write_json_object({"run": data.run, **plain_tables(_with_papers(data))}, file)


def write_latex(data: ReportData, folder: Path) -> None:
    r"""Write each table to a LaTeX file in ``folder``, to be included with ``\input``; raises InputError."""
    write_latex_tables((*(table.wide_table() for table in data.tables), *report_tables(data)), folder)


def write_charts(charts: Iterable[Chart], folder: Path) -> None:
    """Write each chart as SVG and PNG in ``folder``; raises InputError."""
    make_folder(folder)
    for chart in charts:
        with replacing(folder / f"{chart.name}.svg") as stream:
            stream.write(svg(chart))
        with replacing(folder / f"{chart.name}.png") as stream:
            stream.buffer.write(png(chart))


def _with_papers(data: ReportData) -> Iterator[FlatTable]:
    yield from (table.long() for table in data.tables)
    yield from report_tables(data)


FIGURE_FORMATS: Registry[FigureFormat] = Registry(
    "figure format",
    "kbe_graph.figures",
    {
        "json": FigureFormat("The tables as one JSON file.", lambda data, _, file: write_json(data, file)),
        "csv": FigureFormat(
            "The tables as CSV files.", lambda data, _, folder: write_csv_tables(_with_papers(data), folder)
        ),
        "latex": FigureFormat("The tables as LaTeX files.", lambda data, _, folder: write_latex(data, folder)),
        "figures": FigureFormat("The charts as SVG and PNG.", lambda _, charts, folder: write_charts(charts, folder)),
    },
)
