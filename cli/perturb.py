"""``kbe perturb``: change the appearance of questions and their pictures, but not the answers."""

from pathlib import Path
from typing import Any

import click

from kbe_graph import ModelOptions
from kbe_graph.cli.extract import annotation_options
from kbe_graph.cli.group import examples
from kbe_graph.cli.model import ModelFlags, answer_model_options
from kbe_graph.cli.options import benchmark_option, json_option, open_work
from kbe_graph.cli.printing import print_json, print_table, say
from kbe_graph.perturb.perturbing import PICTURE_METHODS, PICTURE_NAMES, TEXT_METHODS, TEXT_NAMES, Perturbed

NAMES = "Separate operations with commas; + combines several in one variant, as in pad+lead-in"
IMAGE = f"Picture operations: {', '.join(PICTURE_NAMES)}; or a published method: {', '.join(PICTURE_METHODS)}. {NAMES}."
TEXT = f"Text operations: {', '.join(TEXT_NAMES)}; or a published method: {', '.join(TEXT_METHODS)}. {NAMES}."


@examples(
    "kbe -w W perturb --image pad,noise --text lead-in,substitute",
    "kbe -w W perturb --image mdk12 --hops 0-3",
)
@click.command()
@click.option("--image", multiple=True, metavar="LIST", help=IMAGE)
@click.option("--text", multiple=True, metavar="LIST", help=TEXT)
@click.option(
    "--hops",
    default="0",
    show_default=True,
    metavar="0-3",
    help="Hops of the questions to change; raw questions are hop 0.",
)
@click.option("--run", help="Run whose questions to change.")
@benchmark_option
@click.option(
    "--seeds", default=3, show_default=True, type=click.IntRange(min=1), help="Number of variants per operation."
)
@click.option("--sample", type=click.IntRange(min=1), help="Use only this many samples, drawn at random.")
@annotation_options
@click.option(
    "--by",
    default="rule",
    show_default=True,
    type=click.Choice(["rule", "model"]),
    help="How to paraphrase, write contexts and edit pictures where a model can: by rules, or with the model.",
)
@click.option(
    "--judge",
    is_flag=True,
    help="Have a model ([models.judge_variant]) check each variant. Choose one that you do not evaluate.",
)
@answer_model_options
@click.option("--replace", is_flag=True, help="Replace existing variants.")
@json_option
@click.pass_obj
def perturb(
    folder: Path,
    /,
    image: tuple[str, ...],
    text: tuple[str, ...],
    hops: str,
    run: str | None,
    benchmark: str | None,
    seeds: int,
    sample: int | None,
    by: str,
    judge: bool,
    flags: ModelFlags,
    *,
    replace: bool,
    as_json: bool,
    **annotations: tuple[Path, ...],
) -> None:
    """Change the pictures and words of questions but not their answers, and keep the variants for 'kbe evaluate'.

    Without --image and --text, use all operations that kept the answer in at least nine of ten reviewed variants.
    """
    model = flags.options() if by == "model" else None
    limits = ModelOptions() if model else ModelOptions(budget=flags.budget, max_calls=flags.max_calls)
    flags.refuse_dry_run("is not available for this command; leave it out")
    scope: dict[str, Any] = {"run": run, "benchmark": benchmark, "hops": hops, "seeds": seeds, "sample": sample}
    scope |= {"images": flags.images, "model": model, "judge": limits if judge else None, **annotations}
    with open_work(folder) as work:
        perturbed = work.perturb(_names(image), _names(text), **scope, replace=replace)
    if as_json:
        print_json(perturbed.as_mapping())
    else:
        _print(perturbed)


def _names(lists: tuple[str, ...]) -> list[str]:
    return [name for text in lists for name in map(str.strip, text.split(",")) if name]


def _print(perturbed: Perturbed) -> None:
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
