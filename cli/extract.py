"""``kbe extract``: build a graph for each loaded sample."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from kbe_graph.cli.group import examples
from kbe_graph.cli.model import ModelFlags, awaited_lines, model_options, print_forecast
from kbe_graph.cli.options import Command, benchmark_option, json_option, open_work
from kbe_graph.cli.printing import say_outcome
from kbe_graph.datasets.annotations import READERS
from kbe_graph.errors import InputError
from kbe_graph.workspace.extracting import Extracted

_FILES = click.Path(path_type=Path)
MODE = "How to ask the model: one call per sample (merged), or separate calls for triplets and key (paper)."


def annotation_options(command: Command) -> Command:
    """Add an option for each format of annotations to a command, including those of plug-ins."""
    for name, reader in reversed(list(READERS.items())):
        option = click.option(f"--{name.replace('_', '-')}", name, type=_FILES, multiple=True, help=reader.about)
        command = option(command)
    return command


@examples(
    "kbe -w W extract --captions captions.tsv.gz --detections detections.json.gz",
    "kbe -w W extract --by model --images photos --dry-run",
)
@click.command()
@annotation_options
@click.option("--replace", is_flag=True, help="Replace graphs extracted from other files.")
@benchmark_option
@click.option("--sample", type=click.IntRange(min=1), help="Use only this many samples, drawn with the seed.")
@click.option(
    "--seed", default=0, show_default=True, help="Seed of --sample; 'kbe evolve' draws the same samples with it."
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Number of worker processes that read annotations (default: one per core).",
)
@click.option(
    "--by",
    type=click.Choice(["annotations", "model"]),
    help="Source of the triplets: annotations, or a model that sees the picture (default: annotations; model with "
    "--model or --base-url and no annotation files).",
)
@click.option("--mode", default="merged", show_default=True, type=click.Choice(["paper", "merged"]), help=MODE)
@model_options
@json_option
@click.pass_obj
def extract(
    folder: Path,
    /,
    benchmark: str | None,
    sample: int | None,
    seed: int,
    workers: int | None,
    by: str | None,
    mode: str,
    flags: ModelFlags,
    *,
    replace: bool,
    as_json: bool,
    **annotations: tuple[Path, ...],
) -> None:
    """Extract the visual, textual and key triplets of each loaded sample, from annotations or with a model."""
    asks = by == "model" or (by is None and flags.named and not any(annotations.values()))
    model = flags.options(mode=mode) if asks else None
    if model is None:
        flags.refuse_dry_run("needs a model; add --by model")
        _require_files(annotations)
    chosen: dict[str, Any] = {"benchmark": benchmark, "sample": sample, "seed": seed}
    how: dict[str, Any] = {"replace": replace, "workers": workers}
    with open_work(folder) as work:
        if model and flags.dry_run:
            print_forecast(work.models.forecast_extract(model, **chosen), as_json=as_json)
            return
        extracted = work.extract(model=model, **chosen | how | annotations)
    say_outcome(asdict(extracted), *_lines(extracted), as_json=as_json)


def _require_files(annotations: Mapping[str, Sequence[Path]]) -> None:
    if not any(annotations.values()):
        options = ", ".join(f"--{name.replace('_', '-')}" for name in annotations)
        raise InputError(f"nothing to extract from; give a file with {options}, or use a model (--by model)")


def _lines(extracted: Extracted) -> list[str]:
    if extracted.awaits:
        return awaited_lines(extracted.awaits)
    lines = [] if extracted.grown else ["nothing left to do: all samples are already extracted from these files"]
    if extracted.parser:
        lines.append(f"read captions with {extracted.parser}")
    lines.append(f"extracted {extracted.kept} of {extracted.samples} samples")
    return lines + [f"dropped {count}: {reason}" for reason, count in extracted.dropped.items()]
