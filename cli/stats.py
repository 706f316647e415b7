"""``kbe stats`` and ``guess``: statistics of the questions by hop, and how many are answered without their pictures."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from kbe_graph import Guesses, ModelOptions, Workspace
from kbe_graph.cli.face import SENT, awaited_lines, command
from kbe_graph.cli.printing import (
    print_json,
    print_matrix,
    print_table,
    say,
    say_legend,
    say_note,
    wants_json,
)
from kbe_graph.figures.guess import GUESSERS, MODEL, OPTION_GUESSERS, Figure, OptionRow
from kbe_graph.options import About
from kbe_graph.statistics import STATISTICS
from kbe_graph.workspace.verbs import RunChoice, StatisticOptions

if TYPE_CHECKING:
    import pandas as pd

LIMIT = 25
DIGITS = 4
LEGEND = (
    "raw: the benchmark's own questions; reselected: questions that replace them, about another thing in the image; "
    "explored: new questions. Words and key edges (steps from the image to the answer) are means."
)
HELP = "Print a statistic (default: questions, the paper's Table 2).\n\n\b\nStatistics:\n" + "\n".join(
    f"  {name:<10}  {words}" for name, words in STATISTICS.items()
)


@command("kbe -w W stats --balanced", "kbe -w W stats relations --json", about=HELP)
def stats(
    work: Workspace,
    what: Annotated[str, click.Choice(list(STATISTICS)), "[WHAT]"] = "questions",
    *,
    limit: Annotated[
        int | None, About(f"Maximum number of rows to print (default: {LIMIT} in a table, else all).", least=1)
    ] = None,
    options: StatisticOptions,
) -> None:
    """Print a statistic."""
    frame = work.stats.table(what=what, **options)
    as_table = not wants_json()
    shown = frame.head(limit or (LIMIT if as_table else len(frame))).map(_rounded)
    if wants_json():
        print_json(json.loads(shown.to_json(orient="records")))
    else:
        print_table(list(shown.columns), _rows(shown))
    if as_table and len(shown) < len(frame):
        say_note(f"only the first {len(shown)} of {len(frame)} rows are shown; --limit N shows more", err=True)
    if as_table and what == "questions":
        say_legend(LEGEND)


def _rounded(cell: object) -> object:
    return float(f"{cell:.{DIGITS}g}") if isinstance(cell, float) else cell


def _rows(frame: "pd.DataFrame") -> list[list[Any]]:
    rows: list[list[Any]] = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return rows


GUESS_LEGEND = (
    "Accuracy in per cent, with the upper end of the 95 % interval in brackets. majority: the most common answer; "
    "relation, chain: the most common answer of other questions with the same last relation, or chain of relations; "
    "nearest: a vote of the five questions with the most similar words; model: "
    "a model that sees no picture."
)


@command("kbe -w W guess", "kbe -w W guess --by model --model gpt-5-mini")
def guess(
    work: Workspace,
    model: Annotated[ModelOptions, SENT],
    *,
    by: Annotated[
        Literal["words", "model"],
        About("Guess from the words only (words), or also ask a model without the picture (model)."),
    ] = "words",
    options: RunChoice,
) -> None:
    """Measure how often the raw questions and those of a run are answered without their pictures, by hop."""
    guesses = work.stats.guess(model=model if by == "model" else None, **options)
    if wants_json():
        print_json(guesses.as_mapping())
        return
    for line in awaited_lines(guesses.awaits):
        say(line)
    print_matrix(("guessed by",), dict(_figures(guesses)))
    if guesses.options:
        print_matrix(("options by",), dict(_option_figures(guesses.options)), "a right option, guessed by")
    say_legend(GUESS_LEGEND)


Cell = tuple[tuple[tuple[object, ...], str], object]


def _figures(guesses: Guesses) -> Iterable[Cell]:
    names = [name for name in (*GUESSERS, MODEL) if any(name in row.guessers for row in guesses.rows)]
    for name in ("questions", "answers", *names):
        for row in guesses.rows:
            yield ((name,), row.row), _share(row.guessers.get(name)) if name in names else getattr(row, name)


def _option_figures(rows: Sequence[OptionRow]) -> Iterable[Cell]:
    for name in ("questions", "chance", *OPTION_GUESSERS):
        for row in rows:
            counts = {"questions": row.questions, "chance": round(100 * row.chance, 1)}
            cell = counts[name] if name in counts else _share(row.guessers[name])
            yield ((name,), f"{row.maker} ({row.form})"), cell


def _share(figure: Figure | None) -> str:
    return f"{100 * figure.share:.1f} ({100 * figure.high:.1f})" if figure else ""
