"""``kbe extract``, ``evolve`` and ``estimate``: graphs of samples, new questions, and what they cost with a model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import click
from click.core import ParameterSource

from kbe_graph import Estimate, ModelOptions, RunOptions, Workspace
from kbe_graph.cli import endpoint
from kbe_graph.cli.face import command, field_options, keywords, make_option
from kbe_graph.cli.printing import print_json, print_table, say_note, say_outcome, wants_json
from kbe_graph.cli.show import print_status
from kbe_graph.datasets.annotations import READERS
from kbe_graph.errors import InputError
from kbe_graph.evolve.knowledge import SOURCES
from kbe_graph.options import About
from kbe_graph.workspace.models import Models

WORKERS = "Number of worker processes (default: one per core)."
ANNOTATIONS = [make_option(name, tuple[Path, ...], (), About(reader.about)) for name, reader in READERS.items()]
EXTRACT = keywords(
    Workspace.extract,
    replace="Replace graphs extracted from other files.",
    benchmark=endpoint.BENCHMARK,
    sample=About("Use only this many samples, drawn with the seed.", least=1),
    seed="Seed of --sample; 'kbe evolve' draws the same samples with it.",
)


@command(
    "kbe -w W extract --captions captions.tsv.gz --detections detections.json.gz",
    "kbe -w W extract --by model --budget 5",
)
def extract(
    work: Workspace,
    annotations: Annotated[dict[str, Any], ANNOTATIONS],
    chosen: Annotated[dict[str, Any], EXTRACT],
    model: Annotated[ModelOptions, endpoint.SENT + endpoint.MODE + endpoint.LANGUAGE],
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
    asks = by == "model" or (by is None and endpoint.names_model(model) and not any(annotations.values()))
    if not asks:
        _require_files(annotations)
    extracted = work.extract(model=model if asks else None, workers=workers, **chosen, **annotations)
    lines = endpoint.awaited_lines(extracted.awaits)
    if not extracted.awaits:
        if not extracted.grown:
            lines.append("nothing left to do: all samples are already extracted from these files")
        if extracted.parser:
            lines.append(f"read captions with {extracted.parser}")
        lines.append(f"extracted {extracted.kept} of {extracted.samples} samples")
        lines += [f"dropped {count}: {reason}" for reason, count in extracted.dropped.items()]
    say_outcome(asdict(extracted), *lines)


def _require_files(annotations: Mapping[str, Sequence[Path]]) -> None:
    if not any(annotations.values()):
        options = ", ".join(f"--{name.replace('_', '-')}" for name in annotations)
        raise InputError(f"nothing to extract from; give a file with {options}, or use a model (--by model)")


NO_GRAPH = "nothing to do: no sample has a graph; run 'kbe load' and 'kbe extract' first"
SCOPE = field_options(
    RunOptions, "run", "seed", "hops", "limit", "sample", "max_length", "filters", "unsourced", "reselect"
)
EVOLVE = keywords(
    Workspace.evolve,
    knowledge=About(
        "Knowledge source (default: pack, the packaged facts; model if a model is given).",
        choices=lambda: list(SOURCES),
    ),
    wording=About(
        "How to word the questions (default: rule; model if a model is given).", choices=endpoint.RULE_OR_MODEL
    ),
)
REACH = keywords(
    Workspace.evolve,
    contact="Your email or web address, for the operators of Wikidata (KBE_CONTACT).",
    endpoint="SPARQL endpoint to use instead of Wikidata's (KBE_ENDPOINT).",
    offline="Do not contact Wikidata; use the cached answers.",
    ray=About("Explore on a Ray cluster, or on 'local' processors; for rules and packaged facts.", metavar="ADDRESS"),
)
CHECKED = keywords(
    ModelOptions,
    ground=About(
        "What to do with a model's facts that known facts do not confirm: refuse them (require), refuse only "
        "contradicted ones and draw confirmed ones first (prefer), or only count them (report).",
        choices=("require", "prefer", "report"),
    ),
    verify="Have a second model ([models.verify]) check each proposed fact and give seven verdicts on each question.",
    blind=About(
        "What to do with a raw question that a model ([models.guess]) answers without its picture: do not explore from "
        "it (skip), or only record it (mark). 'off' asks nothing without pictures.",
        choices=("skip", "mark", "off"),
    ),
    independent="Fail if generator, verifier and judge are models of the same family.",
)


@command("kbe -w W evolve --hops 3 --seed 0", "kbe -w W evolve --run model --mode merged")
def evolve(
    work: Workspace,
    scope: Annotated[dict[str, Any], SCOPE],
    parts: Annotated[dict[str, Any], EVOLVE],
    reach: Annotated[dict[str, Any], REACH],
    model: Annotated[ModelOptions, endpoint.SENT + endpoint.MODE + CHECKED + endpoint.LANGUAGE],
    *,
    workers: Annotated[int | None, About(WORKERS, least=1)] = None,
) -> None:
    """Generate new questions: re-select, then explore hop by hop. Re-running the command resumes an interrupted run.

    By default, the packaged facts and rules make the questions. With --model, --base-url or --mode, the model proposes
    the facts and words the questions. --knowledge and --wording override either choice.
    """
    has_mode = click.get_current_context().get_parameter_source("mode") is not ParameterSource.DEFAULT
    usual = ("model", "model") if has_mode or endpoint.names_model(model) else ("pack", "rule")
    parts = {"knowledge": parts["knowledge"] or usual[0], "wording": parts["wording"] or usual[1]}
    asks = model.verify or "model" in parts.values()
    if not work.store.count_samples(status="extracted"):
        say_outcome({"run": None, "note": NO_GRAPH}, NO_GRAPH)
        return
    run = work.evolve(model=model if asks else None, workers=workers, **scope, **parts, **reach)
    lines = endpoint.awaited_lines(run.awaits)
    if run.state == "complete" and not run.grown:
        lines.append(f"nothing left to do: run {run.name!r} is complete")
    outcome = {name: getattr(run, name) for name in ("seed", "state", "grown", "awaits")}
    counts = run.status()
    say_outcome({"run": run.name, **outcome, "status": counts}, *lines)
    if not (wants_json() or run.awaits):
        print_status(counts)


COLUMNS = ("step", "model", "calls", "cached", "prompt tokens", "reply tokens", "dollars")
ESTIMATE = field_options(RunOptions, "run", "seed", "hops", "sample", "filters") + keywords(
    Models.estimate,
    evaluate=About("Include an evaluation of this model; repeatable.", metavar="MODEL"),
)


@command(
    "kbe -w W estimate --model gpt-5-mini --sample 100",
    "kbe -w W estimate --model gpt-5-mini --sample 100 --verify --evaluate gpt-5",
)
def estimate(
    work: Workspace,
    model: Annotated[
        ModelOptions,
        endpoint.NAMED
        + endpoint.MODE
        + keywords(ModelOptions, verify="Include the checks of a second model, as in 'kbe evolve --verify'."),
    ],
    **options: Annotated[Any, ESTIMATE],
) -> None:
    """Estimate the cost of a model's graphs, hops, checks and evaluation, step by step.

    The run is tried on fifty samples against a model that only counts. Requires a loaded benchmark ('kbe load'), but no
    graph, API key or endpoint. No model is asked.
    """
    whole = work.models.estimate(model, **options)
    if wants_json():
        print_json(asdict(whole) | {"dollars_a_question": whole.dollars_a_question})
        return
    print_table(COLUMNS, [*map(_row, whole.steps), _row(replace(whole, step="total"))])
    for note in _notes(whole, work.store.count_samples() if options["evaluate"] else 0):
        say_note(note)


def _row(part: Estimate) -> tuple[object, ...]:
    dollars = "unknown" if part.unpriced and not part.dollars else f"{part.dollars:.4f}"
    return part.step, part.model, part.calls, part.hits, part.prompt, part.output, dollars


def _notes(whole: Estimate, asked: int) -> Iterator[str]:
    dollars = whole.dollars, whole.dollars_a_question
    yield endpoint.dollar_line(*dollars, "per question at least", endpoint.unpriced_words(whole), "about ")
    spread = f" ± {whole.spread:.4f} dollars, as 50 samples were tried;" if whole.spread else ""
    yield (
        f"about:{spread} assumes that no check refuses a question; cached calls are free; a reply counts half of its "
        "maximum number of tokens, or the mean of the step's replies once 20 are cached; --budget is the limit"
    )
    if whole.waiting:
        yield f"no graph yet: {whole.waiting} samples; graphs from annotations ('kbe extract') are free"
    if asked:
        yield f"'kbe evaluate' asks the raw questions of all {asked} loaded samples, and the questions of each hop"
