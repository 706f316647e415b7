"""``kbe stats``: statistics of the questions by hop, and of the relations across samples."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kbe_graph.cli.group import examples
from kbe_graph.cli.options import chosen_run_option, incomplete_option, json_option, open_work
from kbe_graph.cli.printing import is_terminal, print_csv, print_json, print_table, say, say_note
from kbe_graph.statistics.statistic_names import STATISTICS

if TYPE_CHECKING:
    import pandas as pd

COMPARE = "compare"
LIMIT = 25
DIGITS = 4
LEGEND = (
    "raw: the benchmark's own questions; reselected: questions that replace them, about another thing in the image; "
    "explored: new questions. Words and key edges (steps from the image to the answer) are means."
)
KINDS = {**STATISTICS, COMPARE: "relations of two benchmarks, splits (okvqa/val) or runs, A and B"}
HELP = (
    "Print a statistic (default: questions, the paper's Table 2). Only 'compare' takes A and B.\n\n"
    "\b\nStatistics:\n" + "\n".join(f"  {name:<10}  {words}" for name, words in KINDS.items())
)


@examples(
    "kbe -w W stats --balanced",
    "kbe -w W stats compare demo/demo demo",
)
@click.command(help=HELP)
@click.argument("what", type=click.Choice(list(KINDS)), default="questions", metavar="[WHAT]")
@click.argument("parts", nargs=-1, metavar="[A B]")
@chosen_run_option
@incomplete_option
@click.option("--balanced", is_flag=True, help="Use only samples with a question at every hop of the run.")
@click.option(
    "--format", "format_", type=click.Choice(["table", "json", "csv"]), default="table", help="Output format."
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help=f"Maximum number of rows to print (default: {LIMIT} in a table, else all).",
)
@click.option(
    "--plot", type=click.Path(path_type=Path, file_okay=False), help="Draw the statistic as SVG into this folder."
)
@click.option("--seed", default=0, show_default=True, help="Random seed of the test in 'compare'.")
@json_option
@click.pass_obj
def stats(
    folder: Path,
    what: str,
    parts: tuple[str, ...],
    run: str | None,
    incomplete: bool,
    balanced: bool,
    format_: str,
    limit: int | None,
    plot: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Print a statistic."""
    if (what == COMPARE) != (len(parts) == 2) or len(parts) not in {0, 2}:
        raise click.UsageError("compare takes two benchmarks, splits or runs, A and B; other statistics take none")
    with open_work(folder) as work:
        if what == COMPARE:
            figures, frame = work.stats.compare(*parts, seed=seed)
        else:
            figures, frame = None, work.stats.table(run, what=what, incomplete=incomplete, balanced=balanced)
    if plot is not None:
        from kbe_graph.statistics.plots import draw_statistic

        say(f"wrote {draw_statistic(what, frame, plot)}", err=True)
    _print(frame, figures, "json" if as_json else format_, limit)
    if format_ == "table" and what == "questions" and is_terminal():
        say_note(LEGEND, err=True)


def _print(frame: "pd.DataFrame", figures: "pd.DataFrame | None", format_: str, limit: int | None) -> None:
    most = LIMIT if limit is None and format_ == "table" else limit
    shown = frame.head(most or len(frame)).map(_rounded)
    if format_ == "json":
        records = _records(shown)
        print_json(records if figures is None else {"figures": _records(figures), "relations": records})
        return
    if format_ == "csv":
        print_csv(list(shown.columns), _rows(shown))
        return
    if figures is not None:
        print_table(list(figures.columns), _rows(figures.map(_rounded)))
        say("")
    print_table(list(shown.columns), _rows(shown))
    if len(shown) < len(frame):
        say_note(f"only the first {len(shown)} of {len(frame)} rows are shown; --limit N shows more", err=True)


def _rounded(cell: object) -> object:
    return float(f"{cell:.{DIGITS}g}") if isinstance(cell, float) else cell


def _records(frame: "pd.DataFrame") -> Any:
    return json.loads(frame.to_json(orient="records"))


def _rows(frame: "pd.DataFrame") -> list[list[Any]]:
    rows: list[list[Any]] = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return rows
