"""``kbe guess``: measure how often questions are answered without their pictures."""

from collections.abc import Sequence
from pathlib import Path

import click

from kbe_graph import Guesses
from kbe_graph.cli.group import examples
from kbe_graph.cli.model import ModelFlags, awaited_lines, print_forecast, text_model_options
from kbe_graph.cli.options import chosen_run_option, incomplete_option, json_option, open_work
from kbe_graph.cli.printing import is_terminal, print_json, print_table, say, say_lines, say_note
from kbe_graph.evaluate.guess import GUESSERS, MODEL, OPTION_GUESSERS, AnswerGroup, Figure, OptionRow

GROUPS = ("row", "relations", "questions", "answers", "most common", "per cent")
LEGEND = (
    "Accuracy in per cent, with the upper end of the 95 % interval in brackets. majority: the most common answer; "
    "relation, chain: the most common answer of other questions with the same last relation, or chain of relations; "
    "nearest: a vote of the five questions with the most similar words; linear: a linear model over the words; model: "
    "a model that sees no picture."
)


@examples("kbe -w W guess", "kbe -w W guess --by model --model gpt-5-mini --dry-run")
@click.command()
@chosen_run_option
@incomplete_option
@click.option(
    "--by",
    default="words",
    show_default=True,
    type=click.Choice(["words", "model"]),
    help="Guess from the words only (words), or also ask a model without the picture (model).",
)
@text_model_options
@json_option
@click.pass_obj
def guess(folder: Path, run: str | None, incomplete: bool, by: str, flags: ModelFlags, as_json: bool) -> None:
    """Measure how often the raw questions and those of a run are answered without their pictures, by hop."""
    model = flags.options() if by == "model" else None
    if model is None:
        flags.refuse_dry_run("needs a model; add --by model")
    with open_work(folder) as work:
        if model and flags.dry_run:
            print_forecast(work.models.forecast_guess(model, run, incomplete=incomplete), as_json=as_json)
            return
        guesses = work.stats.guess(run, model=model, incomplete=incomplete)
    if as_json:
        print_json(guesses.as_mapping())
        return
    _print(guesses)


def _print(guesses: Guesses) -> None:
    for line in awaited_lines(guesses.awaits):
        say(line)
    names = [name for name in (*GUESSERS, MODEL) if any(name in row.guessers for row in guesses.rows)]
    columns = ("guessed by", *(row.row for row in guesses.rows))
    counts = [[name, *(getattr(row, name) for row in guesses.rows)] for name in ("questions", "answers")]
    shares = [[name, *(_share(row.guessers.get(name)) for row in guesses.rows)] for name in names]
    print_table(columns, counts + shares)
    _print_options(guesses.options)
    for part, groups in (("last relation", guesses.relations), ("chain", guesses.chains)):
        if groups:
            say_lines([("text", ""), ("heading", f"most guessable, by {part}")])
            print_table(GROUPS, [_group_row(group) for group in groups])
    if is_terminal():
        say("", err=True)
        say_note(LEGEND, err=True)


def _print_options(rows: Sequence[OptionRow]) -> None:
    if not rows:
        return
    say_lines([("text", ""), ("heading", "a right option, guessed by")])
    counts: list[list[object]] = [
        ["questions", *(row.questions for row in rows)],
        ["chance", *(round(100 * row.chance, 1) for row in rows)],
    ]
    shares: list[list[object]] = [[name, *(_share(row.guessers[name]) for row in rows)] for name in OPTION_GUESSERS]
    print_table(("options by", *(f"{row.maker} ({row.form})" for row in rows)), counts + shares)


def _share(figure: Figure | None) -> str:
    return f"{100 * figure.share:.1f} ({100 * figure.high:.1f})" if figure else ""


def _group_row(group: AnswerGroup) -> tuple[str, str, int, int, str, float]:
    return group.row, ", ".join(group.relations), group.questions, group.answers, group.top, round(100 * group.share, 1)
