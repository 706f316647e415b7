"""``kbe evaluate``: ask a model the questions, judge its answers, and print the accuracy hop by hop."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from kbe_graph import Evaluated, ItemTable, MemoryRow, ModelOptions, Results, Workspace
from kbe_graph.cli import endpoint
from kbe_graph.cli.face import command
from kbe_graph.cli.printing import heading, print_json, print_matrix, print_table, say, say_legend, wants_json
from kbe_graph.evaluate.score_rules import SCORE_RULES
from kbe_graph.evaluate.surface import SurfaceTable
from kbe_graph.evaluate.ways import PERTURBED
from kbe_graph.options import About
from kbe_graph.workspace.verbs import AnswerFile, AnswerOptions, AskOptions

NAMED = 5  # ids that are printed; --json prints all
LEGEND = (
    "Accuracy in per cent, with the 95 % interval in brackets; all hops of a picture form one cluster. 'kbe report' "
    "shows the differences between hops, the items, and everything else."
)
PREDICTIONS = About("Import the answers from a file instead: JSONL of id and answer, or the output of another harness.")
SCORES = About(
    "Also print the mean score by this rule, such as VQA accuracy; repeatable.", choices=lambda: list(SCORE_RULES)
)


@command(
    "kbe -w W evaluate --model llava --base-url http://127.0.0.1:8000/v1",
    "kbe -w W evaluate --predictions answers.jsonl --model llava",
)
def evaluate(
    work: Workspace,
    model: Annotated[ModelOptions, endpoint.SENT],
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
        judge = replace(judge, budget=model.budget, max_calls=model.max_calls)
        evaluated = work.answers.take(predictions, model=model.name, judge=judge, **options, **content)
    else:
        asked = replace(asked, variants=(*asked.variants, PERTURBED)) if variants else asked
        evaluated = work.evaluate(model, judge=judge, **options, **asked)
    _print(evaluated, None if evaluated.judgement.awaits else _figures(work, evaluated, score))


class Figures(NamedTuple):
    """The figures of the evaluated models."""

    results: Results
    items: ItemTable
    memory: tuple[MemoryRow, ...]
    scores: list[dict[str, Any]]
    surface: SurfaceTable

    def as_mapping(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON; items are summarised."""
        memory = [row.as_mapping() for row in self.memory]
        return {
            "results": self.results.as_mapping(),
            "items": self.items.summary(),
            "memory": memory,
            "scores": self.scores,
        } | ({"surface": self.surface.as_mapping()} if self.surface.changes else {})


def _figures(work: Workspace, evaluated: Evaluated, rules: Sequence[str]) -> Figures:
    evaluation, judge = work.answers.evaluation(run=evaluated.run, incomplete=True), evaluated.judgement.judge
    items = evaluation.items(judge=judge if judge in evaluation.judges else None)
    surface = evaluation.surface()
    return Figures(evaluation.results(), items, evaluation.memory(), evaluation.scores(rules), surface)


def _print(evaluated: Evaluated, figures: Figures | None) -> None:
    if wants_json():
        print_json(asdict(evaluated) | (figures.as_mapping() if figures else dict.fromkeys(Figures._fields)))
        return
    for line in _outcome_lines(evaluated):
        say(line)
    if figures is None:
        return
    judgement, results = evaluated.judgement, figures.results
    unjudged = f", {judgement.unjudged} not judged" if judgement.unjudged else ""
    say(f"judge {judgement.judge}: {judgement.right} right, {judgement.wrong} wrong{unjudged}")
    for benchmark in dict.fromkeys(row.benchmark for row in results.accuracy):
        _print_accuracy(results, benchmark)
    _print_block(_repeated_lines(results))
    _print_block(_memory_lines(figures.memory))
    _print_surface(figures.surface)
    say_legend(LEGEND)
    for rule in dict.fromkeys(row["rule"] for row in figures.scores):
        cells: dict[tuple[tuple[object, ...], str], object] = {
            ((row["benchmark"], row["model"], row["variant"]), row["row"]): f"{100 * row['score']:.1f} "
            f"±{100 * row['error']:.1f}"
            for row in figures.scores
            if row["rule"] == rule
        }
        title = f"score by {rule}: {SCORE_RULES.require(rule).says}"
        print_matrix(("benchmark", "model", "variant"), cells, title)


def _outcome_lines(evaluated: Evaluated) -> Iterator[str]:
    yield from endpoint.awaited_lines(evaluated.judgement.awaits)
    for fault, ids in (
        ("unknown question ids", evaluated.unknown),
        ("answered more than once, and ignored", evaluated.twice),
        ("not answered", evaluated.missing),
    ):
        if ids:
            more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
            say(f"{fault}: {', '.join(ids[:NAMED])}{more}", err=True)
    yield f"{evaluated.model}: {evaluated.answered} of {evaluated.asked} answered, {evaluated.new} of them new"
    counts = {"empty": evaluated.empty, "unread": evaluated.unread, "refused": evaluated.refused}
    if named := ", ".join(f"{count} {kind}" for kind, count in counts.items() if count):
        yield f"replies without an answer, counted as wrong: {named}"
    if evaluated.unreadable:
        fault = evaluated.picture_fault
        yield f"not asked because their picture cannot be read: {evaluated.unreadable}; the first: {fault}"


def _print_block(lines: Iterable[str]) -> None:
    for number, line in enumerate(lines):
        say(line if number else f"\n{line}")


def _print_accuracy(results: Results, benchmark: str) -> None:
    rows = [row for row in results.accuracy if row.benchmark == benchmark and row.samples == "all"]
    key = ("model", "variant", "judge") if len({row.judge for row in results.accuracy}) > 1 else ("model", "variant")
    counts = {row.row: max(each.questions for each in rows if each.row == row.row) for row in rows}
    blank = ("questions", *("" for _ in key[1:]))
    cells: dict[tuple[tuple[object, ...], str], object] = {(blank, name): count for name, count in counts.items()}
    for row in rows:
        place = tuple(getattr(row, name) for name in key)
        cells[place, row.row] = f"{100 * row.accuracy:.1f} ({100 * row.low:.0f}-{100 * row.high:.0f})"
    print_matrix(key, cells, benchmark)


def _print_surface(surface: SurfaceTable) -> None:
    if not surface.changes:
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
        for row in surface.changes
    ]
    print_table(("benchmark", "model", "judge", *columns), rows)


def _repeated_lines(results: Results) -> Iterator[str]:
    for row in results.circular:
        place = f"{row['benchmark']} {row['row']}, {row['model']} by {row['judge']}"
        interval = f"{100 * row['all_right']:.1f} ({100 * row['low']:.0f}-{100 * row['high']:.0f})"
        share = f"{interval if row['questions'] else 'none'} of {row['questions']} questions"
        missing = row["incomplete"]
        left_out = f"; {missing} without an answer to every rotation are left out" if missing else ""
        yield f"all rotations right: {place}: {share}{left_out}"
    for row in results.stability:
        place = f"{row['benchmark']} {row['row']}, {row['model']}, {row['variant']}"
        verdict = row["same_verdict"]
        same = "" if verdict is None else f", same verdict {100 * verdict:.1f} by {row['judge']}"
        answers = f"same answer {100 * row['same_answer']:.1f}{same} ({row['questions']} questions)"
        yield f"asked {row['runs']} times: {place}: {answers}"


def _memory_lines(memory: Sequence[MemoryRow]) -> Iterator[str]:
    asked = [row for row in memory if row.finding.pairs]
    has_several = len({row.judge for row in asked}) > 1
    for row in asked:
        by = f" by {row.judge}" if has_several else ""
        yield f"memory of {row.model}{by}: {row.finding.verdict} ({row.finding.reason})"
