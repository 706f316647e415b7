"""``kbe stats``, ``guess``, ``calls`` and ``doctor``: figures of questions and of calls, and what works here."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click
from click.core import ParameterSource

from kbe_graph import Guesses, ModelOptions, Workspace
from kbe_graph.cli.command_settings import options_in_force
from kbe_graph.cli.face import NAMED, SENT, awaited_lines, command, dollar_line
from kbe_graph.cli.printing import (
    print_json,
    print_matrix,
    print_rows,
    print_table,
    say,
    say_legend,
    say_note,
    say_outcome,
    wants_json,
)
from kbe_graph.config import Setting, read_config
from kbe_graph.figures.guess import GUESSERS, MODEL, OPTION_GUESSERS, Figure, OptionRow
from kbe_graph.options import About
from kbe_graph.statistics import STATISTICS
from kbe_graph.workspace.verbs import RunChoice, StatisticOptions

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.figures.linked_releases import LinkTable
    from kbe_graph.models.call_store import Summary

LIMIT = 25
DIGITS = 4
LEGEND = (
    "raw: the benchmark's own questions; reselected: questions that replace them, about another thing in the image; "
    "explored: new questions. Words and key edges (steps from the image to the answer) are means."
)
LINK, MINI = "link", "mini"
KINDS = {
    **STATISTICS,
    LINK: "models' skills on one scale, over releases or runs that share questions; needs [figures]",
    MINI: "how models rank and score on the mini set of a release, against all of it",
}
HELP = "Print a statistic (default: questions, the paper's Table 2).\n\n\b\nStatistics:\n" + "\n".join(
    f"  {name:<10}  {words}" for name, words in KINDS.items()
)
LINK_LEGEND = (
    "skill: in logits, 0 at the first release's mean difficulty; accuracy: on the model's own release; "
    "equated: the accuracy expected on the first release, comparable between models; low and high: 95 % interval; "
    "anchors: earlier questions that link the model."
)


@command("kbe -w W stats variety --json", "kbe -w W stats link R1 R2", about=HELP)
def stats(
    work: Workspace,
    what: Annotated[str, click.Choice(list(KINDS)), "[WHAT]"] = "questions",
    names: Annotated[tuple[str, ...], "[RELEASE...]"] = (),
    *,
    limit: Annotated[
        int | None, About(f"Maximum number of rows to print (default: {LIMIT} in a table, else all).", least=1)
    ] = None,
    options: StatisticOptions,
) -> None:
    """Print a statistic."""
    if what == LINK:
        _print_link(work.stats.link(*names))
        return
    if (what == MINI) != (len(names) == 1):
        raise click.UsageError("'link' takes two or more releases, 'mini' takes one, and nothing else takes any")
    frame = work.stats.mini(*names) if names else work.stats.table(what=what, **options)
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


def _print_link(table: "LinkTable") -> None:
    if wants_json():
        print_json(table._asdict())
        return
    columns = list(table.skills[0])
    print_table(columns, [[_rounded(row[column]) for column in columns] for row in table.skills])
    say_legend(LINK_LEGEND)
    for row in table.anchors:
        if row["drifted"]:
            shares = f"{row['share']:.0%} of the models of {row['release']} are right, expected {row['expected']:.0%}"
            say_note(f"dropped the anchor {row['question']}, which drifted: {shares} (p {row['p']:.2g})")
    if table.left_out:
        say_note(f"without a skill, because always right or always wrong: {', '.join(table.left_out)}")


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


_FROM = {ParameterSource.COMMANDLINE: "flag -w", ParameterSource.ENVIRONMENT: "environment KBE_WORKSPACE"}
COSTS = ("step", "model", "calls", "hits", "failures", "prompt", "cached", "output", "dollars")
FAILURES = ("at", "step", "model", "kind", "message", "reply", "call")


@command("kbe -w W calls failures --limit 5", "kbe -w W calls take replies.jsonl")
def calls(
    work: Workspace,
    what: Annotated[Literal["costs", "failures", "take"], "[failures|take FILE]"] = "costs",
    file: Annotated[Path | None, ""] = None,
    *,
    model: Annotated[ModelOptions, NAMED],
    limit: Annotated[int, About("Maximum number of failed calls to show.", least=1)] = 50,
) -> None:
    """Print calls, cache hits, failures, tokens and dollars by step and model, and dollars per kept question.

    With 'failures', show the endpoint's response to each failed call, newest first. With 'take', import the replies in
    FILE, the provider's unmodified output file.
    """
    if (what == "take") != (file is not None):
        raise click.UsageError("'take' needs a FILE, and nothing else has one")
    if file is not None:
        applied = work.models.take_replies(file, model)
        line = f"imported {applied.done} replies; {applied.failed} failed, {applied.known} were already imported"
        say_outcome(applied._asdict(), line)
    elif what == "failures":
        print_rows(FAILURES, work.models.failed_calls(limit))
    else:
        _print_costs(work.models.costs())


def _print_costs(costs: "Summary") -> None:
    if wants_json():
        print_json(asdict(costs))
    elif not costs.lines:
        say_note("no calls to models in this workspace yet", err=True)
    else:
        cells = ([getattr(line, name) for name in COSTS] for line in costs.lines)
        print_table(COSTS, [[round(cell, 6) if isinstance(cell, float) else cell for cell in row] for row in cells])
        unpriced = f"{costs.unpriced} calls without a known price" if costs.unpriced else ""
        say_note(dollar_line(costs.dollars, costs.dollars_a_question, "per kept question", unpriced))


@command("kbe -w W doctor", "kbe -w W doctor --model Qwen/Qwen2.5-VL-7B-Instruct")
def doctor(folder: Path, model: Annotated[ModelOptions, NAMED]) -> None:
    """Check the parser, graph, extras and any configured models, and print each setting that was made, with its origin.

    Failures come first. Each model is asked one very short question. The exit code is 1 if a check fails.
    """
    from kbe_graph.workspace.diagnosis import diagnose

    findings = diagnose(folder, model, _settings(click.get_current_context().find_root(), folder))
    if wants_json():
        print_json([finding._asdict() for finding in findings])
    else:
        print_table(("what", "value", "origin"), [finding[:3] for finding in findings])
    if not all(finding.works for finding in findings):
        raise click.exceptions.Exit(1)


def _settings(root: click.Context, folder: Path) -> Iterator[Setting]:
    origin = root.get_parameter_source("workspace") or ParameterSource.DEFAULT
    yield Setting("workspace", str(folder.absolute()), _FROM.get(origin, "default, the current folder"))
    if isinstance(root.command, click.Group):
        yield from options_in_force(read_config(folder), os.environ, root.command, root)
