"""``kbe forget``: remove runs, benchmarks and samples."""

from pathlib import Path
from typing import Any

import click

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.options import json_option, open_work
from kbe_graph.cli.printing import say_outcome

yes_option = click.option(
    "--evolved",
    is_flag=True,
    help="Also remove the questions that runs made from these samples (required if there are any).",
)


@examples("kbe -w W forget run NAME", "kbe -w W forget benchmark NAME --evolved")
@click.group(cls=Group)
def forget() -> None:
    """Remove runs, benchmarks or samples, with everything made from them. Paid model replies are kept."""


@examples("kbe -w W forget run NAME")
@forget.command()
@click.argument("name")
@json_option
@click.pass_obj
def run(folder: Path, name: str, as_json: bool) -> None:
    """Remove the run NAME with its questions, candidates and manifest."""
    _forget(folder, as_json=as_json, run=name)


@examples("kbe -w W forget benchmark NAME", "kbe -w W forget benchmark NAME --split val --evolved")
@forget.command()
@click.argument("name")
@click.option("--split", default=None, help="Remove only this split.")
@yes_option
@json_option
@click.pass_obj
def benchmark(folder: Path, name: str, split: str | None, evolved: bool, as_json: bool) -> None:
    """Remove the benchmark NAME with its samples, their graphs and questions."""
    _forget(folder, as_json=as_json, benchmark=name, split=split, evolved=evolved)


@examples("kbe -w W forget sample okvqa/val/2971475 --evolved")
@forget.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@yes_option
@json_option
@click.pass_obj
def sample(folder: Path, ids: tuple[str, ...], evolved: bool, as_json: bool) -> None:
    """Remove the samples with these ids, their graphs and questions."""
    _forget(folder, as_json=as_json, samples=ids, evolved=evolved)


def _forget(folder: Path, *, as_json: bool, **what: Any) -> None:
    with open_work(folder) as work:
        forgotten = work.forget(**what)
    runs = f", and run {', '.join(map(repr, forgotten.runs))}" if forgotten.runs else ""
    line = f"removed {forgotten.samples} samples and {forgotten.questions} questions{runs}"
    say_outcome(forgotten._asdict(), line, as_json=as_json)
