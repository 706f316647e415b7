"""``kbe forget``: take runs, benchmarks and samples out again."""

from pathlib import Path
from typing import Any

import click

from kbe_graph.cli.common import open_work
from kbe_graph.cli.printing import say

yes_option = click.option("--yes", is_flag=True, help="Take the questions that runs have of them, too.")


@click.group()
def forget() -> None:
    """Take runs, benchmarks or samples out, with all that rests on them; replies that were paid for stay."""


@forget.command()
@click.argument("name")
@click.pass_obj
def run(folder: Path, name: str) -> None:
    """Forget the run NAME: its questions, what was considered for them, its manifest."""
    _forget(folder, run=name)


@forget.command()
@click.argument("name")
@click.option("--split", default=None, help="Only this split of it.")
@yes_option
@click.pass_obj
def benchmark(folder: Path, name: str, split: str | None, yes: bool) -> None:
    """Forget the benchmark NAME: its samples, their graphs and questions."""
    _forget(folder, benchmark=name, split=split, evolved=yes)


@forget.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@yes_option
@click.pass_obj
def sample(folder: Path, ids: tuple[str, ...], yes: bool) -> None:
    """Forget the samples of these ids, their graphs and questions."""
    _forget(folder, samples=ids, evolved=yes)


def _forget(folder: Path, **what: Any) -> None:
    with open_work(folder) as work:
        forgotten = work.forget(**what)
    runs = f", and run {', '.join(map(repr, forgotten.runs))}" if forgotten.runs else ""
    say(f"forgot {forgotten.samples} samples and {forgotten.questions} questions{runs}")
