"""The tables of a report, its first lines, and its figures as files: JSON, CSV and LaTeX, charts as SVG and PNG."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.figures.accuracy import AccuracyRow
from kbe_graph.figures.outcomes import JUDGED_CELL, RAW_ROW, RESELECTED_ROW, plain_row, row_order
from kbe_graph.files.resources import sheet_cell
from kbe_graph.files.whole import replacing, require_own
from kbe_graph.show.charts import MAKER, Chart, png, svg
from kbe_graph.show.report_data import ReportData
from kbe_graph.show.tables import FlatTable, cell_text
from kbe_graph.text import counted

if TYPE_CHECKING:
    import pandas as pd

EVALUATION: Mapping[str, str] = {
    "accuracy": "Accuracy",
    "hops": "Paired differences between hops",
    "trends": "Change in accuracy per hop",
    "power": "Power of the comparisons",
    "chains": "Accuracy by the earlier hop",
    "right_after_wrong": "Right after a wrong answer",
    "errors": "Share wrong by last relation and source",
    "circular": "Right in every rotation of the options",
    "stability": "Same answer when asked again",
    "variants": "Paired differences between variants",
    "gain": "Gain from the picture by shape and depth",
    "composition": "Composition gap by shape and depth",
    "pairs": "Questions with their twins: both right, by shape",
    "groups": "Groups of two questions about the same two pictures",
}


def report_tables(data: ReportData) -> Iterator[FlatTable]:
    """Yield the non-empty tables of a report; shares and differences are from 0 to 1."""
    named = [(row, of["asked"], of["right"], of["share"], ", ".join(of["by"])) for row, of in data.named.items()]
    tables = (
        _funnel(data),
        _of_dicts(
            "statistics", "Statistics of the questions by hop", data.statistics.astype(object).to_dict("records")
        ),
        _of_dicts("variety", "Variety of the questions by hop", data.variety.astype(object).to_dict("records")),
        _of_dicts("shapes", "Drafts by shape and number of facts", data.shapes),
        *_evaluation(data),
        _of_dicts("rounds", "Accuracy by round", _rounds(data)),
        _of_dicts("scored", "Questions scored", map(plain_row, data.scored)),
        *_items(data),
        _of_dicts("memory", "Memory or difficulty", data.memory),
        _of_dicts("surface", "Surface changes and hops", data.surface.changes),
        _of_dicts("surface-knowledge", "Hops minus surface", data.surface.costs),
        _guesses(data),
        FlatTable("named", "Named without the picture", ("row", "asked", "named", "share", "named by"), named),
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
    figures["power"] = [row for row in figures["power"] if row["model"]]
    for name, title in EVALUATION.items():
        yield _of_dicts("variant-differences" if name == "variants" else name, title, figures[name])


def _rounds(data: ReportData) -> Iterator[dict[str, object]]:
    for each in data.rounds:
        counts = Counter(growth.how for growth in each.grew)
        about = {"disputed": len(each.disputed), "grew": counted(counts), "stopped": each.stopped}
        for figures in each.figures:
            yield {"round": each.number, "run": each.asks, **figures._asdict(), **about}


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


LEAST_PAIRS = 10  # pairs of questions that a comparison needs
SURE = 0.05  # Holm-corrected p below which a difference is significant


class BenchmarkResult(NamedTuple):
    """A benchmark's questions in a line, and its models, best first, with their shares and their change."""

    line: str
    models: FlatTable


def headline(data: ReportData) -> list[BenchmarkResult]:
    """Summarise a report, one result per benchmark."""
    return [_result(data, benchmark) for benchmark in sorted({item.sample.benchmark for item in data.items})]


def _result(data: ReportData, benchmark: str) -> BenchmarkResult:
    items = [item for item in data.items if item.sample.benchmark == benchmark]
    counts = Counter(story.row for item in items for story in item.chain)
    each = ", ".join(f"{row}: {counts[row]}" for row in sorted(counts, key=row_order))
    own = [share for share in data.accuracy if (share.samples, share.benchmark) == ("all", benchmark)]
    own = [share for share in own if share.judge == _judge_of(share.model, own, data.judge)]
    first = {share.model: share for share in sorted(own, key=lambda share: row_order(share.row), reverse=True)}
    raw = sorted(first.values(), key=lambda share: (share.row != RAW_ROW, -share.accuracy))  # or the first row asked
    shown = sorted({share.row for share in own}, key=row_order)
    counts_of = {tuple(row[name] for name in JUDGED_CELL): row for row in data.scored}
    shares = {(share.model, share.row): _share(share, counts_of) for share in own}
    heads = ("model", *shown, "change on the same samples", "")
    rows = [
        [_model_cell(each, data), *(shares.get((each.model, row), "") for row in shown), *_change(data, each)]
        for each in raw
    ]
    new = counts.total() - counts[RAW_ROW] - counts[RESELECTED_ROW]
    line = f"{benchmark}: {new} new questions on {len(items)} samples ({each})"
    return BenchmarkResult(line, FlatTable("headline", line, heads, rows))


def _judge_of(model: str, shares: Sequence[AccuracyRow], leading: str) -> str:
    """Choose the judge whose verdicts a model's line shows: the leading one or, without it, that of most verdicts."""
    judged: Counter[str] = Counter()
    for share in shares:
        if share.model == model:
            judged[share.judge] += share.questions
    return leading if leading in judged else judged.most_common(1)[0][0]


def _model_cell(share: AccuracyRow, data: ReportData) -> str:
    return share.model if share.judge == data.judge else f"{share.model} (judge: {share.judge})"


def _share(share: AccuracyRow, scored: Mapping[tuple[Any, ...], Mapping[str, Any]]) -> str:
    counts = scored[tuple(getattr(share, name) for name in JUDGED_CELL)]
    others = counts["questions"] - share.questions
    return f"{100 * share.accuracy:.0f} % ({share.right}{f', {others} not counted' if others else ''})"


def _change(data: ReportData, raw: AccuracyRow) -> tuple[str, str]:
    """Compare raw questions with the hop that has the most pairs on the same samples, and say what that means."""
    family = [row for row in data.results.hops if (row.judge, row.samples) == (raw.judge, "all")]
    place = (raw.benchmark, raw.model, RAW_ROW)
    own = [row for row in family if (row.benchmark, row.model, row.before) == place and row.after != RESELECTED_ROW]
    own = [row for row in own if row.figures.pairs >= LEAST_PAIRS]
    if not own:
        return "", f"too few samples: no hop has {LEAST_PAIRS} in common with raw"
    row = max(own, key=lambda row: (row.figures.pairs, row_order(row.after)))
    figures = row.figures
    change, low, high = (f"{100 * share:+.0f}" for share in (figures.difference, figures.low, figures.high))
    change = f"{change} points at {row.after} (95 % interval {low} to {high}), {figures.pairs} samples"
    direction = "higher" if figures.difference > 0 else "lower"
    means = f"significantly {direction}" if row.holm < SURE else "may be due to chance"
    return change, f"{means} (Holm p {max(row.holm, 0.001):.2g}, {len(family)} comparisons)"


def write_figures(
    format_: str, data: ReportData, charts: Sequence[Chart], place: Path, *, replace: bool = False
) -> None:
    """Write the figures of a report to a file (``json``), or to a folder (``csv``, ``latex``, ``figures``: the charts).

    No cell of a CSV file is a formula; a LaTeX file needs the package booktabs. Raises InputError, also for a file that
    is there and begins otherwise, unless ``replace`` is set.
    """
    tables = [*report_tables(data)]
    if format_ == "json":
        figures = {"run": data.run} | {table.name: table.frame.to_dict("records") for table in tables}
        content: dict[Path, str | bytes] = {place: json.dumps(figures, ensure_ascii=False, indent=2) + "\n"}
    elif format_ == "csv":
        content = {place / f"{table.name}.csv": csv_table(table.frame) for table in tables}
    elif format_ == "latex":
        content = {place / f"{table.name}.tex": latex_table(table.frame) for table in tables}
    else:
        content = {place / f"{chart.name}.svg": svg(chart) for chart in charts}
        content |= {place / f"{chart.name}.png": png(chart) for chart in charts}
    for file, text in content.items():
        require_own(file, partial(_is_alike, text), replace=replace)
    if format_ != "json":
        _make_folder(place)
    for file, text in content.items():
        with replacing(file) as stream:
            stream.buffer.write(text if isinstance(text, bytes) else text.encode())


def _is_alike(new: str | bytes, old: str) -> bool:
    """Compare how two files begin: with the same columns, or as a report's figures or charts."""
    if isinstance(new, bytes) or new.startswith("<?xml"):
        return MAKER in old
    start = '{\n  "run": ' if new.startswith("{") else new.partition("\n")[0]
    return old.startswith(start)


def csv_table(frame: "pd.DataFrame") -> str:
    """Format a table as CSV, with no cell that is a formula."""
    safe = frame.map(lambda cell: sheet_cell(cell) if isinstance(cell, str) else cell)
    return safe.to_csv(index=False, lineterminator="\n")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {str(folder)!r}: {error.strerror}; choose another place") from None


def latex_table(frame: "pd.DataFrame") -> str:
    """Format a table as a LaTeX ``tabular``."""
    shown = frame.map(lambda cell: " ".join(cell_text(cell).split()))
    alignment = "l" + "r" * (len(frame.columns) - 1)
    return shown.to_latex(index=False, escape=True, column_format=alignment)
