"""``kbe extract``, ``evolve``, ``estimate``, ``forms`` and ``perturb``: graphs and questions, and their forms."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import click
from click.core import ParameterSource

from kbe_graph import Estimate, ModelOptions, RunOptions, Workspace
from kbe_graph.cli.face import (
    LIMITED,
    NAMED,
    SENT,
    awaited_lines,
    command,
    dollar_line,
    names_model,
    unpriced_words,
)
from kbe_graph.cli.printing import print_json, print_table, say, say_note, say_outcome, wants_json
from kbe_graph.cli.show import print_status
from kbe_graph.datasets.annotations import READERS
from kbe_graph.options import About, Options, RuleOrModel, option
from kbe_graph.types import FORMS, Form
from kbe_graph.workspace.benchmarks import pictures_line
from kbe_graph.workspace.verbs import ExtractOptions, FormsOptions, PerturbOptions, TwinsOptions

WORKERS = "Number of worker processes (default: one per core)."
ANNOTATIONS = make_dataclass(
    "Annotations",
    [(name, tuple[Path, ...], option((), reader.about)) for name, reader in READERS.items()],
    bases=(Options,),
    frozen=True,
)


@command(
    "kbe -w W extract --captions captions.csv",
    "kbe -w W extract --by model --budget 5",
)
def extract(
    work: Workspace,
    annotations: ANNOTATIONS,  # type: ignore[valid-type]  # made of the formats that there are
    chosen: ExtractOptions,
    model: Annotated[ModelOptions, f"{SENT} mode language"],
    *,
    workers: Annotated[int | None, About(WORKERS, least=1)] = None,
    by: Annotated[
        Literal["annotations", "model"] | None,
        About(
            "Source of the triplets: annotations, or a model that sees the picture, and takes only boxes from "
            "annotations (default: annotations; model with --model or --base-url and no annotation files)."
        ),
    ] = None,
) -> None:
    """Extract the visual, textual and key triplets of each loaded sample, from annotations or with a model."""
    files: dict[str, Sequence[Path]] = dict(annotations)
    asks = by == "model" or (by is None and names_model(model) and not any(files.values()))
    extracted = work.extract(model=model if asks else None, workers=workers, **chosen, **files)
    lines = awaited_lines(extracted.awaits)
    if not extracted.awaits:
        if not extracted.grown:
            lines.append("nothing left to do: all samples are already extracted from these files")
        if extracted.parser:
            lines.append(f"read captions with {extracted.parser}")
        lines.append(f"extracted {extracted.kept} of {extracted.samples} samples")
        lines += [f"dropped {count}: {reason}" for reason, count in extracted.dropped.items()]
        if extracted.unreadable:
            lines.append(pictures_line(extracted.unreadable))
        if extracted.stayed:
            lines.append(f"graphs that stayed as they were, as they could not be made again: {extracted.stayed}")
    say_outcome(asdict(extracted), *lines)


MAKERS = "knowledge wording contact endpoint offline ray"


@command("kbe -w W evolve --hops 3 --seed 0", "kbe -w W evolve --by model --run model")
def evolve(
    work: Workspace,
    options: Annotated[RunOptions, f"run seed hops limit sample max_length filters unsourced reselect {MAKERS}"],
    model: Annotated[ModelOptions, f"{SENT} mode gates ground verify independent blind language"],
    *,
    workers: Annotated[int | None, About(WORKERS, least=1)] = None,
    by: Annotated[
        RuleOrModel | None,
        About("Who makes the questions: rules with packaged facts, or a model (default: rule; model if one is named)."),
    ] = None,
) -> None:
    """Generate new questions: re-select, then explore hop by hop. Re-running the command resumes an interrupted run.

    By default, the packaged facts and rules make the questions. With --by model, or with --model, --base-url or --mode,
    a model proposes the facts and words the questions. --knowledge and --wording override either choice.
    """
    has_mode = click.get_current_context().get_parameter_source("mode") is not ParameterSource.DEFAULT
    by_model = by == "model" or (by is None and (has_mode or names_model(model)))
    options = options.settled(by_model=by_model)
    run = work.evolve(model=model if model.verify or options.asks else None, workers=workers, **options)
    lines = awaited_lines(run.awaits)
    if run.state == "complete" and not run.grown:
        lines.append(f"nothing left to do: run {run.name!r} is complete")
    outcome = {name: getattr(run, name) for name in ("seed", "state", "grown", "awaits")}
    counts = run.status()
    say_outcome({"run": run.name, **outcome, "status": counts}, *lines)
    if not (wants_json() or run.awaits):
        print_status(counts)


COLUMNS = ("step", "model", "calls", "cached", "prompt tokens", "reply tokens", "dollars")


@command(
    "kbe -w W estimate --model gpt-5-mini --sample 100",
    "kbe -w W estimate --model gpt-5-mini --sample 100 --verify --evaluate gpt-5",
)
def estimate(
    work: Workspace,
    model: Annotated[ModelOptions, f"{NAMED} mode verify"],
    scope: Annotated[RunOptions, "run seed hops sample filters"],
    *,
    evaluate: Annotated[
        tuple[str, ...], About("Include an evaluation of this model; repeatable.", metavar="MODEL")
    ] = (),
) -> None:
    """Estimate the cost of a model's graphs, hops, checks and evaluation, step by step.

    The run is tried on fifty samples against a model that only counts. Requires a loaded benchmark ('kbe load'), but no
    graph, API key or endpoint. No model is asked.
    """
    whole = work.models.estimate(model, evaluate=evaluate, **scope)
    if wants_json():
        print_json(asdict(whole) | {"dollars_a_question": whole.dollars_a_question})
        return
    print_table(COLUMNS, [*map(_row, whole.steps), _row(replace(whole, step="total"))])
    for note in _notes(whole, work.store.count_samples() if evaluate else 0):
        say_note(note)


def _row(part: Estimate) -> tuple[object, ...]:
    dollars = "unknown" if part.unpriced and not part.dollars else f"{part.dollars:.4f}"
    return part.step, part.model, part.calls, part.hits, part.prompt, part.output, dollars


def _notes(whole: Estimate, asked: int) -> Iterator[str]:
    dollars = whole.dollars, whole.dollars_a_question
    yield dollar_line(*dollars, "per question at least", unpriced_words(whole), "about ")
    spread = f" ± {whole.spread:.4f} dollars, as 50 samples were tried;" if whole.spread else ""
    yield (
        f"about:{spread} assumes that no check refuses a question; cached calls are free; a reply counts half of its "
        "maximum number of tokens, or the mean of the step's replies once 20 are cached; --budget is the limit"
    )
    if whole.waiting:
        yield f"no graph yet: {whole.waiting} samples; graphs from annotations ('kbe extract') are free"
    if asked:
        yield f"'kbe evaluate' asks the raw questions of all {asked} loaded samples, and the questions of each hop"


@command("kbe -w W forms --form choice", "kbe -w W forms --form fill --form true-false --run demo")
def forms(
    work: Workspace,
    *,
    form: Annotated[
        tuple[Form, ...],
        About(
            "Form to make: one of four options (choice), all right options (several, with --by model), a gap (fill) "
            "or a statement (true-false); repeatable.",
            choices=FORMS[1:],
        ),
    ] = ("choice",),
    by: Annotated[
        RuleOrModel,
        About(
            "How to find wrong options: from facts (rule), or with a model, whose options pass the same "
            "checks and then a judge.",
        ),
    ] = "rule",
    model: Annotated[ModelOptions, LIMITED],
    options: FormsOptions,
) -> None:
    """Convert the raw questions and those of a run to another form, and keep it in the graph for 'kbe export'."""
    made = [work.make_forms(each, model=model if by == "model" else None, **options) for each in form]
    if wants_json():
        print_json([each.as_mapping() for each in made])
        return
    for each in made:
        say(f"{each.form}: {len(each.forms)} questions")
        if each.accepted:
            say(f"  in {each.accepted} of them, an accepted answer was removed from the benchmark's own options")
        if each.places:
            say(f"  position of the right option: {', '.join(map(str, each.places))}")
        if each.refused:
            rows = sorted(each.refused.items(), key=lambda item: (-item[1], item[0]))
            print_table(("not converted", "questions"), rows)


@command("kbe -w W twins --run demo", "kbe -w W twins --by model --budget 5")
def twins(
    work: Workspace,
    *,
    by: Annotated[
        RuleOrModel,
        About(
            "How to find the other answer: from the graphs and facts (rule), or with a model that sees both pictures."
        ),
    ] = "rule",
    model: Annotated[ModelOptions, f"{SENT} language"],
    options: TwinsOptions,
) -> None:
    """Give the questions of a run a twin: the same words, asked about another picture where the answer differs.

    'kbe evaluate' asks twins too, and prints how often a question and its twin are both answered right.
    """
    made = work.twins(model=model if by == "model" else None, **options)
    if wants_json() or made.awaits:
        say_outcome(asdict(made), *awaited_lines(made.awaits))
        return
    new = sum(made.made.values())
    say(f"{new + made.linked + made.had} of {made.questions} questions have a twin, {new} of them new")
    if made.linked:
        say(f"{made.linked} questions of the run are each other's twins")
    if new:
        print_table(("shape", "twins"), sorted(made.made.items()))
    if made.refused:
        say("")
        print_table(("no twin", "questions"), list(made.refused.items()))


@command("kbe -w W perturb --image pad,noise --text lead-in,substitute", "kbe -w W perturb --image mdk12 --hops 0-3")
def perturb(
    work: Workspace,
    *,
    instances: Annotated[tuple[Path, ...], About("File of COCO instances, where things are; repeatable.")] = (),
    by: Annotated[
        RuleOrModel,
        About(
            "How to paraphrase and edit pictures where a model can: by rules, or with the model.",
        ),
    ] = "rule",
    model: Annotated[ModelOptions, LIMITED],
    options: PerturbOptions,
) -> None:
    """Change the pictures and words of questions but not their answers, and keep the variants for 'kbe evaluate'.

    Without --image and --text, use all operations that kept the answer in at least nine of ten reviewed variants.
    """
    perturbed = work.perturb(model=model if by == "model" else None, instances=instances, **options)
    if wants_json():
        print_json(asdict(perturbed))
        return
    say(f"{perturbed.questions} questions, {perturbed.new} new variants")
    counts = perturbed.operations
    rows = [(row.operation, row.kept, sum(row.refused.values()), sum(row.rejected.values())) for row in counts]
    print_table(("operation", "variants", "refused", "rejected"), rows)
    reasons = [
        (row.operation, status, reason, count)
        for row in counts
        for status, by_reason in (("refused", row.refused), ("rejected", row.rejected))
        for reason, count in by_reason.items()
    ]
    if reasons:
        say("")
        print_table(("operation", "status", "reason", "variants"), reasons)
