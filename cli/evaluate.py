"""``kbe evaluate``: ask a model the questions, judge its answers, and print the accuracy hop by hop."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from kbe_graph import Evaluated, ItemTable, MemoryRow, ModelOptions, Results, Workspace
from kbe_graph.cli.group import examples
from kbe_graph.cli.model import ModelFlags, answer_model_options, awaited_lines, print_forecast
from kbe_graph.cli.options import (
    OptionGroup,
    benchmark_option,
    chosen_run_option,
    incomplete_option,
    json_option,
    open_work,
)
from kbe_graph.cli.printing import is_terminal, print_json, print_table, say, say_lines, say_note
from kbe_graph.evaluate.prediction_files import PREDICTION_FORMATS
from kbe_graph.evaluate.reply_reading import READING_RULES
from kbe_graph.evaluate.results import ScoreRow
from kbe_graph.evaluate.score_rules import SCORE_RULES
from kbe_graph.evaluate.surface import SurfaceTable
from kbe_graph.evaluate.ways import PERTURBED
from kbe_graph.evolve.mix import RuleOrModel
from kbe_graph.types import FORMS, Form

NAMED = 5  # ids that are printed; --json prints all
LEGEND = (
    "Accuracy in per cent, with the 95 % interval in brackets; all hops of a picture form one cluster. 'kbe report' "
    "shows the differences between hops, the items, and everything else."
)
WAYS = (
    "How to ask each question: with its image (image, the default), without it (blind), without its chain (no-chain), "
    "paraphrased (paraphrase; raw questions only), with the sample's options (options), with these shuffled "
    "(options-shuffled) or in every rotation (circular), in a form of 'kbe forms' (choice, several, fill, true-false), "
    "or changed by an operation of 'kbe perturb'; repeatable."
)
JUDGES = (
    "Judge of the answers: a rule (exact, normalised, alias), the model of [models.judge] (model), the same model "
    "without question and picture (paper), or the name of a model. With several judges, the majority decides. "
    "Verdicts of earlier judges are kept and printed separately."
)


def _judge(judge_base_url: str | None, judge_api_key: str | None) -> ModelOptions:
    return ModelOptions(base_url=judge_base_url, api_key=judge_api_key)


judge_options = OptionGroup(
    "judge",
    _judge,
    (
        click.option("--judge-base-url", help="Endpoint of judges that are models (default: [models.judge])."),
        click.option(
            "--judge-api-key",
            help="API key of the judge. Prefer [models.judge] with $NAME, an environment variable: other users can see "
            "arguments (ps).",
        ),
    ),
)


def _variants(ways: tuple[str, ...], *, perturbed: bool) -> tuple[str, ...]:
    return (*ways, PERTURBED) if perturbed else ways


variant_options = OptionGroup(
    "variants",
    _variants,
    (
        click.option("--variant", "ways", multiple=True, default=("image",), metavar="WAY", help=WAYS),
        click.option("--variants", "perturbed", is_flag=True, help="Also ask all variants made by 'kbe perturb'."),
    ),
)


class PredictionsFile(NamedTuple):
    """A file of answers, its format, and the form of question that it answers."""

    predictions: Path | None
    format: str | None
    form: Form


predictions_options = OptionGroup(
    "taken",
    PredictionsFile,
    (
        click.option(
            "--predictions",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Import the answers from a file instead: JSONL of id and answer, or the output of another harness.",
        ),
        click.option(
            "--format",
            type=click.Choice([*PREDICTION_FORMATS]),
            help="Format of the predictions file (default: detected).",
        ),
        click.option(
            "--form",
            default="open",
            show_default=True,
            type=click.Choice(FORMS),
            help="Form of the questions in the predictions file, if the file does not say.",
        ),
    ),
)


@examples(
    "kbe -w W evaluate --model llava --base-url http://127.0.0.1:8000/v1",
    "kbe -w W evaluate --predictions answers.jsonl --model llava",
)
@click.command()
@chosen_run_option
@incomplete_option
@benchmark_option
@click.option("--hops", metavar="0-3", help="Hops to ask, such as 0-3 or 2 (default: all).")
@click.option(
    "--runs", type=click.IntRange(min=1), help="Samples per question (default: 2 if temperature > 0, else 1)."
)
@variant_options
@click.option(
    "--paraphrases",
    default="rule",
    show_default=True,
    type=click.Choice(["rule", "model"]),
    help="How --variant paraphrase rewords raw questions: by rules, or by the model of [models.paraphrase].",
)
@click.option("--judge", "judges", multiple=True, default=("alias",), show_default=True, help=JUDGES)
@judge_options
@click.option(
    "--score",
    "rules",
    multiple=True,
    type=click.Choice([*SCORE_RULES]),
    help="Also print the mean score by this rule, such as VQA accuracy; repeatable.",
)
@click.option("--strict", is_flag=True, help="Fail if two of generator, model and judge are of the same model family.")
@predictions_options
@click.option(
    "--read",
    default="auto",
    show_default=True,
    type=click.Choice([*READING_RULES]),
    help="Rule that reads the answer: what the reply marks, else all of it (auto), only that (marked), or all (whole).",
)
@answer_model_options
@json_option
@click.pass_obj
def evaluate(
    folder: Path,
    run: str | None,
    incomplete: bool,
    benchmark: str | None,
    hops: str | None,
    runs: int | None,
    variants: tuple[str, ...],
    paraphrases: RuleOrModel,
    judges: tuple[str, ...],
    judge: ModelOptions,
    rules: tuple[str, ...],
    strict: bool,
    taken: PredictionsFile,
    read: str,
    flags: ModelFlags,
    as_json: bool,
) -> None:
    """Ask a model the raw questions and those of a run, judge its answers, and print the accuracy by hop.

    Re-running the command asks only what is missing. The answers are kept in the graph, next to those of other models.
    """
    model = flags.options()
    chosen: dict[str, Any] = {"run": run, "benchmark": benchmark, "read": read}
    asked = chosen | {"variants": variants, "hops": hops, "runs": runs}
    judging: dict[str, Any] = {"judges": judges, "judge": judge, "strict": strict, "incomplete": incomplete}
    with open_work(folder) as work:
        if taken.predictions is not None:
            flags.refuse_dry_run("cannot be combined with --predictions")
            judging["judge"] = replace(judge, budget=flags.budget, max_calls=flags.max_calls)
            given = chosen | {"model": flags.model, "format": taken.format, "form": taken.form}
            evaluated = work.answers.take(taken.predictions, **given, **judging)
        elif flags.dry_run:
            print_forecast(work.models.forecast_evaluate(model, **asked, incomplete=incomplete), as_json=as_json)
            return
        else:
            evaluated = work.evaluate(model, **asked, paraphrases=paraphrases, **judging)
        figures = None if evaluated.judgement.awaits else _figures(work, evaluated, rules)
    _print(evaluated, figures, as_json=as_json)


class Figures(NamedTuple):
    """The figures of the evaluated models."""

    results: Results
    items: ItemTable
    memory: tuple[MemoryRow, ...]
    scores: list[ScoreRow]
    surface: SurfaceTable

    def as_mapping(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON; items are summarised."""
        memory = [row.as_mapping() for row in self.memory]
        scores = [row._asdict() for row in self.scores]
        return {
            "results": self.results.as_mapping(),
            "items": self.items.summary(),
            "memory": memory,
            "scores": scores,
        } | ({"surface": self.surface.as_mapping()} if self.surface.changes else {})


def _figures(work: Workspace, evaluated: Evaluated, rules: Sequence[str]) -> Figures:
    evaluation, judge = work.answers.evaluation(run=evaluated.run, incomplete=True), evaluated.judgement.judge
    items = evaluation.items(judge=judge if judge in evaluation.judges else None)
    surface = evaluation.surface()
    return Figures(evaluation.results(), items, evaluation.memory(), evaluation.scores(rules), surface)


def _print(evaluated: Evaluated, figures: Figures | None, *, as_json: bool) -> None:
    if as_json:
        plain = figures.as_mapping() if figures else dict.fromkeys(Figures._fields)
        print_json(asdict(evaluated) | plain)
        return
    _print_outcome(evaluated, figures)
    _print_scores(figures.scores if figures else [])


def _print_outcome(evaluated: Evaluated, figures: Figures | None) -> None:
    judgement = evaluated.judgement
    for line in awaited_lines(judgement.awaits):
        say(line)
    for fault, ids in (
        ("unknown question ids", evaluated.unknown),
        ("answered more than once, and ignored", evaluated.twice),
        ("not answered", evaluated.missing),
    ):
        if ids:
            say(
                f"{fault}: {', '.join(ids[:NAMED])}{f' and {len(ids) - NAMED} more' if len(ids) > NAMED else ''}",
                err=True,
            )
    say(f"{evaluated.model}: {evaluated.answered} of {evaluated.asked} answered, {evaluated.new} of them new")
    for line in _silent_lines(evaluated):
        say(line)
    if figures is None:
        return
    results = figures.results
    unjudged = f", {judgement.unjudged} not judged" if judgement.unjudged else ""
    say(f"judge {judgement.judge}: {judgement.right} right, {judgement.wrong} wrong{unjudged}")
    for benchmark in dict.fromkeys(row.benchmark for row in results.accuracy):
        say_lines([("text", ""), ("heading", benchmark)])
        _print_accuracy(results, benchmark)
    repeated = [("text", line) for line in _repeated_lines(results)]
    say_lines([("text", ""), *repeated] if repeated else [])
    asked_both = [row for row in figures.memory if row.finding.pairs]
    has_several = len({row.judge for row in asked_both}) > 1
    lines = [("text", _memory_line(row, by=f" by {row.judge}" if has_several else "")) for row in asked_both]
    say_lines([("text", ""), *lines] if lines else [])
    _print_surface(figures.surface)
    if is_terminal():
        say("", err=True)
        say_note(LEGEND, err=True)


def _silent_lines(evaluated: Evaluated) -> Iterator[str]:
    counts = {"empty": evaluated.empty, "unread": evaluated.unread, "refused": evaluated.refused}
    if named := ", ".join(f"{count} {kind}" for kind, count in counts.items() if count):
        yield f"replies without an answer, counted as wrong: {named}"
    if evaluated.unreadable:
        fault = evaluated.picture_fault
        yield f"not asked because their picture cannot be read: {evaluated.unreadable}; the first: {fault}"


def _print_scores(scores: Sequence[ScoreRow]) -> None:
    """Print one table per rule.

    It has a row per benchmark, model and variant, and a column per row of questions: means out of 100, with their
    errors.
    """
    for rule in dict.fromkeys(row.rule for row in scores):
        say_lines([("text", ""), ("heading", f"score by {rule}: {SCORE_RULES.require(rule).says}")])
        own = [row for row in scores if row.rule == rule]
        columns = list(dict.fromkeys(row.row for row in own))
        cells = {(*row[1:4], row.row): f"{100 * row.score:.1f} ±{100 * row.error:.1f}" for row in own}
        rows = [
            [*place, *(cells.get((*place, column), "") for column in columns)]
            for place in dict.fromkeys((row.benchmark, row.model, row.variant) for row in own)
        ]
        print_table(("benchmark", "model", "variant", *columns), rows)


def _print_accuracy(results: Results, benchmark: str) -> None:
    cells = [row for row in results.accuracy if row.benchmark == benchmark and row.samples == "all"]
    columns = list(dict.fromkeys(cell.row for cell in cells))
    key = ("model", "variant", "judge") if len({row.judge for row in results.accuracy}) > 1 else ("model", "variant")
    places = {cell: tuple(getattr(cell, name) for name in key) for cell in cells}
    shares = {
        (places[cell], cell.row): f"{100 * cell.accuracy:.1f} ({100 * cell.low:.0f}-{100 * cell.high:.0f})"
        for cell in cells
    }
    rows = [
        [*place, *(shares.get((place, column), "") for column in columns)] for place in dict.fromkeys(places.values())
    ]
    counts = [max(cell.questions for cell in cells if cell.row == column) for column in columns]
    print_table((*key, *columns), [["questions", *("" for _ in key[1:]), *counts], *rows])


def _print_surface(surface: SurfaceTable) -> None:
    if not surface.changes:
        return
    say_lines([("text", ""), ("heading", "surface or knowledge: the same questions before and after a change")])
    columns = ("questions of", "change", "pairs", "before", "after", "points", "to wrong", "to right", "seeds")
    rows = [
        [
            *(row.benchmark, row.model, row.judge, row.row, row.change, row.figures.pairs),
            *(f"{100 * share:.1f}" for share in (row.figures.share_before, row.figures.share_after)),
            f"{100 * row.figures.difference:+.1f} ({100 * row.figures.low:+.0f} to {100 * row.figures.high:+.0f})",
            *(f"{100 * share:.1f}" for share in (row.to_wrong, row.to_right)),
            row.seeds,
        ]
        for row in surface.changes
    ]
    print_table(("benchmark", "model", "judge", *columns), rows)


def _repeated_lines(results: Results) -> Iterator[str]:
    for row in results.circular:
        share = f"{100 * row.all_right:.1f} ({100 * row.low:.0f}-{100 * row.high:.0f})" if row.questions else "none"
        left_out = f"; {row.incomplete} without an answer to every rotation are left out" if row.incomplete else ""
        place = f"{row.benchmark} {row.row}, {row.model} by {row.judge}"
        yield f"all rotations right: {place}: {share} of {row.questions} questions{left_out}"
    for again in results.stability:
        verdict = (
            "" if again.same_verdict is None else f", same verdict {100 * again.same_verdict:.1f} by {again.judge}"
        )
        place = f"asked {again.runs} times: {again.benchmark} {again.row}, {again.model}, {again.variant}"
        yield f"{place}: same answer {100 * again.same_answer:.1f}{verdict} ({again.questions} questions)"


def _memory_line(row: MemoryRow, *, by: str) -> str:
    alarm = f"; alarm: {row.cap.hits} of {row.cap.right} right answers contain the key itself" if row.cap.alarm else ""
    return f"memory of {row.model}{by}: {row.finding.verdict} ({row.finding.reason}){alarm}"
