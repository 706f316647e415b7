"""``kbe extract``, ``evolve`` and ``estimate``: graphs of samples, new questions, and what they cost with a model."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import click
from click.core import ParameterSource

from kbe_graph import Estimate, ModelOptions, RunOptions, Workspace
from kbe_graph.cli.face import NAMED, SENT, awaited_lines, command, dollar_line, names_model, unpriced_words
from kbe_graph.cli.printing import print_json, print_table, say_note, say_outcome, wants_json
from kbe_graph.cli.show import print_status
from kbe_graph.datasets.annotations import READERS
from kbe_graph.options import About, Options, option
from kbe_graph.workspace.verbs import ExtractOptions

WORKERS = "Number of worker processes (default: one per core)."
ANNOTATIONS = make_dataclass(
    "Annotations",
    [(name, tuple[Path, ...], option((), reader.about)) for name, reader in READERS.items()],
    bases=(Options,),
    frozen=True,
)


@command(
    "kbe -w W extract --captions captions.tsv.gz --detections detections.json.gz",
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
            "Source of the triplets: annotations, or a model that sees the picture (default: annotations; model with "
            "--model or --base-url and no annotation files)."
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
    say_outcome(asdict(extracted), *lines)


MAKERS = "knowledge wording contact endpoint offline ray"
NO_GRAPH = "nothing to do: no sample has a graph; run 'kbe load' and 'kbe extract' first"


@command("kbe -w W evolve --hops 3 --seed 0", "kbe -w W evolve --run model --mode merged")
def evolve(
    work: Workspace,
    options: Annotated[RunOptions, f"run seed hops limit sample max_length filters unsourced reselect {MAKERS}"],
    model: Annotated[ModelOptions, f"{SENT} mode ground verify independent blind language"],
    *,
    workers: Annotated[int | None, About(WORKERS, least=1)] = None,
) -> None:
    """Generate new questions: re-select, then explore hop by hop. Re-running the command resumes an interrupted run.

    By default, the packaged facts and rules make the questions. With --model, --base-url or --mode, the model proposes
    the facts and words the questions. --knowledge and --wording override either choice.
    """
    has_mode = click.get_current_context().get_parameter_source("mode") is not ParameterSource.DEFAULT
    by_model = has_mode or names_model(model)
    options = options.settled(by_model=by_model)
    if not work.store.count_samples(status="extracted"):
        say_outcome({"run": None, "note": NO_GRAPH}, NO_GRAPH)
        return
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
