"""``kbe extract``: make a graph of each loaded sample."""

from pathlib import Path

import click

from kbe_graph.annotations.annotations import readers
from kbe_graph.cli.common import Command, open_work
from kbe_graph.cli.model import ModelFlags, model_options, print_awaited, print_forecast
from kbe_graph.cli.printing import say

_FILES = click.Path(path_type=Path)
MODE = "How a model is asked: one call a sample (merged, chain), or one for the triplets and one for the key (paper)."


def annotation_options(command: Command) -> Command:
    """Give a command an option for each format of annotations, those of plug-ins among them."""
    for name, reader in reversed(list(readers().items())):
        option = click.option(f"--{name.replace('_', '-')}", name, type=_FILES, multiple=True, help=reader.about)
        command = option(command)
    return command


@click.command()
@annotation_options
@click.option("--replace", is_flag=True, help="Replace graphs that were extracted from other files.")
@click.option("--benchmark", default=None, help="Take only the samples of this benchmark.")
@click.option(
    "--by",
    default="annotations",
    show_default=True,
    type=click.Choice(["annotations", "model"]),
    help="Read the triplets from annotations, or ask a model that sees the picture.",
)
@click.option("--mode", default="merged", show_default=True, type=click.Choice(["paper", "merged", "chain"]), help=MODE)
@model_options
@click.pass_obj
def extract(
    folder: Path,
    /,
    benchmark: str | None,
    by: str,
    mode: str,
    flags: ModelFlags,
    *,
    replace: bool,
    **annotations: tuple[Path, ...],
) -> None:
    """Make the visual, textual and key triplets of each loaded sample, from annotations or by asking a model."""
    model = flags.options(mode=mode) if by == "model" else None
    if model is None:
        flags.refuse_dry_run("--by model")
    with open_work(folder) as work:
        if model and flags.dry_run:
            print_forecast(work.forecast_extract(model, benchmark=benchmark, shard=flags.shard))
            return
        extracted = work.extract(benchmark=benchmark, model=model, shard=flags.shard, replace=replace, **annotations)
    print_awaited(extracted.awaits)
    if extracted.awaits:
        return
    if extracted.parser:
        say(f"captions were read with {extracted.parser}")
    say(f"extracted {extracted.kept} of {extracted.samples} samples")
    for reason, count in extracted.dropped.items():
        say(f"dropped {count}: {reason}")
