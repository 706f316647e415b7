"""``kbe export``: write the questions to a file."""

from pathlib import Path

import click

from kbe_graph.cli.common import open_graph, run_option
from kbe_graph.export.jsonl import write_jsonl
from kbe_graph.store import RAW


@click.group()
def export() -> None:
    """Write the questions to a file that other programs read."""


@export.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@run_option
@click.option("--all", "everything", is_flag=True, help="Dropped questions too, with their reason.")
@click.pass_obj
def jsonl(folder: Path, file: Path, run: str | None, everything: bool) -> None:
    """Write one JSON line a question to FILE, the raw questions (hop 0) first."""
    with open_graph(folder) as graph:
        runs = [run] if run else [one.name for one in graph.store.runs()]
        graph.store.require_run(run)
        status = None if everything else "kept"
        questions = [question for name in (RAW, *runs) for question in graph.store.questions(run=name, status=status)]
        samples = {sample.id: sample for sample in graph.store.samples()}
        families = {one.name: dict(one.settings).get("families", "") for one in graph.store.runs()}
    count = write_jsonl(file, ((samples[question.sample], question) for question in questions), families)
    click.echo(f"wrote {count} questions to {file}")
