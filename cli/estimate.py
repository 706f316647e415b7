"""``kbe estimate``: the cost of a model's graphs, questions, checks and an evaluation, before any call."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import click

from kbe_graph import Estimate, ModelOptions, RunOptions
from kbe_graph.cli.group import examples
from kbe_graph.cli.model import dollar_line, estimated_model_options, unpriced_words
from kbe_graph.cli.options import json_option, open_work, scope_options
from kbe_graph.cli.printing import print_json, print_table, say_note

COLUMNS = ("step", "model", "calls", "cached", "prompt tokens", "reply tokens", "dollars")


@examples(
    "kbe -w W estimate --model gpt-5-mini --sample 100",
    "kbe -w W estimate --model gpt-5-mini --sample 100 --verify --evaluate gpt-5",
)
@click.command()
@scope_options
@estimated_model_options
@click.option("--verify", is_flag=True, help="Include the checks of a second model, as in 'kbe evolve --verify'.")
@click.option("--evaluate", multiple=True, metavar="MODEL", help="Include an evaluation of this model; repeatable.")
@click.option(
    "--judge", default="alias", show_default=True, help="Judge of the evaluation, as in 'kbe evaluate --judge'."
)
@json_option
@click.pass_obj
def estimate(
    folder: Path,
    scope: RunOptions,
    model: ModelOptions,
    verify: bool,
    evaluate: tuple[str, ...],
    judge: str,
    as_json: bool,
) -> None:
    """Estimate the cost of a model's graphs, hops, checks and evaluation, step by step.

    The run is tried on fifty samples against a model that only counts. Requires a loaded benchmark ('kbe load'), but no
    graph, API key or endpoint. No model is asked.
    """
    with open_work(folder) as work:
        whole = work.models.estimate(replace(model, verify=verify), evaluate=evaluate, judge=judge, **asdict(scope))
        loaded = work.store.count_samples()
    if as_json:
        print_json(asdict(whole) | {"dollars_a_question": whole.dollars_a_question})
        return
    print_table(COLUMNS, [*map(_row, whole.steps), _row(replace(whole, step="total"))])
    for note in _notes(whole, loaded if evaluate else 0):
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
