"""``kbe estimate``: the cost of a model's graphs, questions, checks and an evaluation, before anything is asked."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import click

from kbe_graph import Estimate, ModelOptions, RunOptions
from kbe_graph.cli.group import examples
from kbe_graph.cli.model import dollar_line, estimated_model_options, unpriced_words
from kbe_graph.cli.options import json_option, open_work, scope_options
from kbe_graph.cli.printing import print_json, print_table, say_note

COLUMNS = ("step", "model", "calls", "kept", "prompt tokens", "reply tokens", "dollars")


@examples(
    "kbe -w W estimate --model gpt-5-mini --sample 100",
    "kbe -w W estimate --model gpt-5-mini --sample 100 --verify --evaluate gpt-5",
)
@click.command()
@scope_options
@estimated_model_options
@click.option("--verify", is_flag=True, help="With a second look at facts and questions, as 'kbe evolve --verify' has.")
@click.option(
    "--evaluate", multiple=True, metavar="MODEL", help="With the answers of this model; may be given several times."
)
@click.option(
    "--judge", default="alias", show_default=True, help="Who judges these, as 'kbe evaluate --judge' names it."
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
    """Tell the most that a model's graphs, hops, checks and an evaluation may cost, step by step.

    Needs a benchmark (kbe load), but no graph, no key and no endpoint, and asks nothing.
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
    yield dollar_line(*dollars, "a question at least", unpriced_words(whole), "at most ")
    yield (
        f"at most: all samples go through all hops, {whole.questions} questions; kept calls cost nothing; of a reply "
        "half of the most tokens that it may have are counted, or the mean of the step's replies once 20 are kept; "
        "what is asked again, as a reply or its wording was of no use, comes on top"
    )
    if whole.waiting:
        yield f"no graph yet: {whole.waiting} samples; graphs of annotations (kbe extract) cost nothing"
    if asked:
        yield f"'kbe evaluate' asks the raw questions of all {asked} samples that are loaded, and those of each hop"
