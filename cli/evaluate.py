"""``kbe evaluate``: ask a model the questions, judge its answers, and print the accuracy hop by hop."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import click

from kbe_graph import Evaluated, Evaluation, ModelOptions, Workspace
from kbe_graph.cli.face import SENT, awaited_lines, command
from kbe_graph.cli.printing import heading, print_json, print_matrix, print_table, say, say_legend, wants_json
from kbe_graph.evaluate.prompting import PERTURBED
from kbe_graph.figures.accuracy import UNCOUNTED, UNSCORED, AccuracyRow
from kbe_graph.figures.outcomes import JUDGED_CELL
from kbe_graph.options import About
from kbe_graph.scoring.score_rules import SCORE_RULES
from kbe_graph.statistics import ONE_PICTURE, Z95
from kbe_graph.text import counted
from kbe_graph.workspace.verbs import AnswerFile, AnswerOptions, AskOptions

Rows = Sequence[Mapping[str, Any]]
NO_SPREAD = ("no interval: all are alike", ONE_PICTURE)
NAMED = 5  # ids that are printed; --json prints all
LEGEND = (
    "Accuracy in per cent, with the 95 % interval in brackets, then the right questions of those that count; empty, "
    "unread, refused and cut replies count, as wrong. All hops of a picture form one cluster. 'kbe report' shows the "
    "differences between hops, the items, and everything else."
)
PREDICTIONS = About(
    "Import answers from a file instead: a table of id (as exported), question and prediction, or a harness's output."
)
SCORES = About(
    "Also print the mean score by this rule, such as VQA accuracy; repeatable.", choices=lambda: list(SCORE_RULES)
)


@command(
    "kbe -w W evaluate --model llava --base-url http://127.0.0.1:8000/v1",
    "kbe -w W evaluate --predictions answers.jsonl --model llava",
)
def evaluate(
    work: Workspace,
    model: Annotated[ModelOptions, SENT],
    options: AnswerOptions,
    asked: AskOptions,
    content: AnswerFile,
    *,
    variants: Annotated[bool, About("Also ask all variants made by 'kbe perturb'.")] = False,
    judge_base_url: Annotated[
        str | None, About("Endpoint of judges that are models (default: [models.judge]).")
    ] = None,
    score: Annotated[tuple[str, ...], SCORES] = (),
    predictions: Annotated[Path | None, PREDICTIONS] = None,
) -> None:
    """Ask a model the raw questions and those of a run, judge its answers, and print the accuracy by hop.

    Re-running the command asks only what is missing. The answers are kept in the graph, next to those of other models.
    """
    judge = ModelOptions(base_url=judge_base_url)
    if predictions is not None:
        if variants or asked != AskOptions():
            raise click.UsageError(
                "--predictions only imports answers, so --hops, --runs, --variant and --variants have no use; letters "
                "are read as options, and a field 'variant' of the file says how else it asked"
            )
        judge = replace(judge, budget=model.budget, max_calls=model.max_calls)
        evaluated = work.answers.take(predictions, model=model.name, judge=judge, **options, **content)
    else:
        if content != AnswerFile():
            raise click.UsageError("--format and --form need a file of --predictions; name it, or omit them")
        asked = replace(asked, variants=(*asked.variants, PERTURBED)) if variants else asked
        evaluated = work.evaluate(model, judge=judge, **options, **asked)
    _print(work, evaluated, score)
    if not evaluated.answered and not evaluated.judgement.awaits:
        raise click.exceptions.Exit(1)


def _print(work: Workspace, evaluated: Evaluated, rules: Sequence[str]) -> None:
    evaluation, judgement = work.answers.evaluation(run=evaluated.run, incomplete=True), evaluated.judgement
    if wants_json():
        print_json(asdict(evaluated) | (_figures(evaluation, judgement.judge, rules) if not judgement.awaits else {}))
        return
    for line in _outcome_lines(evaluated):
        say(line)
    if judgement.awaits:
        return
    unjudged = f", {judgement.unjudged} not judged" if judgement.unjudged else ""
    total = judgement.right + judgement.wrong + judgement.unjudged
    say(f"judge {judgement.judge}, on all {total} answers: {judgement.right} right, {judgement.wrong} wrong{unjudged}")
    if count := judgement.mentioned:
        say(f"{count} of the wrong contain a right answer: --score mention counts them, --judge model decides on each")
    if evaluation.left_out:
        say(f"left out: {counted(evaluation.left_out)}")
    results, named = evaluation.results(tests=False), f", {evaluated.model}, "

    def own(rows: Rows) -> list[Mapping[str, Any]]:
        return [row for row in rows if f", {row['model']}, " in named]

    accuracy = [row for row in results.accuracy if f", {row.model}, " in named and row.samples == "all"]
    scored = {tuple(row[name] for name in JUDGED_CELL): row for row in evaluation.scored()}
    for benchmark in dict.fromkeys(row.benchmark for row in accuracy):
        _print_accuracy([row for row in accuracy if row.benchmark == benchmark], scored)
    _print_surface(own(evaluation.surface().changes))
    _print_by_depth("gain from the picture", own(results.gain))
    _print_by_depth("composition gap: every link right, minus the whole question right", own(results.composition))
    _print_by_depth("pairs of a question and its twin: both right", own(results.pairs))
    _print_by_depth("groups: two questions about the same two pictures", own(results.groups))
    scores = own(evaluation.scores(rules))
    for rule in dict.fromkeys(row["rule"] for row in scores):
        cells: dict[tuple[tuple[object, ...], str], object] = {
            ((row["benchmark"], row["model"], row["variant"]), row["row"]): f"{100 * row['score']:.1f} "
            + (f"±{100 * Z95 * row['error']:.1f}" if row["error"] else f"({NO_SPREAD[row['error'] is None]})")
            for row in scores
            if row["rule"] == rule
        }
        title = f"score by {rule}: {SCORE_RULES.require(rule).says} (± the 95 % interval)"
        print_matrix(("benchmark", "model", "variant"), cells, title)
    say_legend(LEGEND)
    if others := {name for name in evaluation.answers["model"] if f", {name}, " not in named}:
        say(f"other models with answers here: {len(others)}; 'kbe report' and 'kbe query accuracy_by_hop' show all")


def _figures(evaluation: Evaluation, judge: str, rules: Sequence[str]) -> dict[str, Any]:
    surface = evaluation.surface()
    further = {
        "surface": surface.as_mapping() if surface.changes else {},
        "left_out": dict(evaluation.left_out),
        "cut": [row for row in evaluation.scored() if row["cut"]],
    }
    return {
        "results": evaluation.results().as_mapping(),
        "items": evaluation.items(judge=judge if judge in evaluation.judges else None).summary(),
        "memory": evaluation.memory(),
        "scores": evaluation.scores(rules),
    } | {name: rows for name, rows in further.items() if rows}


def _outcome_lines(evaluated: Evaluated) -> Iterator[str]:
    yield from awaited_lines(evaluated.judgement.awaits)
    for fault, ids in (
        ("unknown question ids", evaluated.unknown),
        ("answered more than once, and ignored", evaluated.twice),
        ("not answered", evaluated.missing),
    ):
        if ids:
            more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
            say(f"{fault}: {', '.join(ids[:NAMED])}{more}", err=True)
    yield f"{evaluated.model}: {evaluated.answered} of {evaluated.asked} answered, {evaluated.new} of them new"
    if evaluated.answered and not evaluated.new:
        yield "answers are kept by the model's name, wherever it is served; another checkpoint needs another name"
    counts = {"empty": evaluated.empty, "unread": evaluated.unread, "refused": evaluated.refused}
    if named := ", ".join(f"{count} {kind}" for kind, count in counts.items() if count):
        yield f"replies without an answer, counted as wrong: {named}"
    if evaluated.unreadable:
        fault = evaluated.picture_fault
        yield f"not asked because their picture cannot be read: {evaluated.unreadable}; the first: {fault}"


def _print_accuracy(rows: Sequence[AccuracyRow], scored: Mapping[tuple[str, ...], Mapping[str, Any]]) -> None:
    key = ("model", "variant", "judge") if len({row.judge for row in rows}) > 1 else ("model", "variant")
    cells: dict[tuple[tuple[object, ...], str], object] = {}
    others = []
    for row in rows:
        place, counts = (
            tuple(getattr(row, name) for name in key),
            scored[tuple(getattr(row, name) for name in JUDGED_CELL)],
        )
        share = f"{100 * row.accuracy:.1f} ({100 * row.low:.0f}-{100 * row.high:.0f})"
        cells[place, row.row] = f"{share} {row.right}"
        where = ", ".join((*place, row.row))
        for words, names in (("wrong without an answer", UNSCORED), ("not counted", UNCOUNTED)):
            if reasons := ", ".join(f"{name.replace('_', ' ')} {counts[name]}" for name in names if counts[name]):
                has_both = names is UNSCORED and counts["cut"] and counts["without_cut"] is not None
                without = f"; {100 * counts['without_cut']:.1f} without cut replies" if has_both else ""
                others.append(f"{words}, {where}: {reasons}{without}")
    print_matrix(key, cells, f"{rows[0].benchmark}: per cent right (95 % interval), questions right/counted")
    for line in others:
        say(line)


def _print_by_depth(title: str, rows: Rows) -> None:
    if rows:
        heading(title)
        print_table(
            tuple(rows[0]),
            [[f"{100 * cell:.1f}" if isinstance(cell, float) else cell for cell in row.values()] for row in rows],
        )


def _print_surface(changes: Rows) -> None:
    if not changes:
        return
    heading("surface or knowledge: the same questions before and after a change")
    columns = ("questions of", "change", "pairs", "before", "after", "points", "to wrong", "to right", "seeds")
    places = ("benchmark", "model", "judge", "row", "change", "pairs")
    rows = [
        [
            *(row[name] for name in places),
            *(f"{100 * row[name]:.1f}" for name in ("share_before", "share_after")),
            f"{100 * row['difference']:+.1f} ({100 * row['low']:+.0f} to {100 * row['high']:+.0f})",
            *(f"{100 * row[name]:.1f}" for name in ("to_wrong", "to_right")),
            row["seeds"],
        ]
        for row in changes
    ]
    print_table(("benchmark", "model", "judge", *columns), rows)
