"""``kbe show``: one sample, its questions, key paths and sources."""

from pathlib import Path

import click

from kbe_graph.cli.common import json_option, open_graph, print_json, run_option
from kbe_graph.errors import InputError
from kbe_graph.evolve.story import story
from kbe_graph.export.jsonl import record
from kbe_graph.store import RAW


@click.command()
@click.argument("id_", metavar="ID")
@run_option
@json_option
@click.pass_obj
def show(folder: Path, id_: str, run: str | None, as_json: bool) -> None:
    """Print the image, question chain, key paths and sources of the sample (or of a question's sample) ID."""
    sample_id = id_.split("@", 1)[0]
    with open_graph(folder) as graph:
        graph.store.require_run(run)
        samples = graph.store.samples(ids=[sample_id])
        questions = graph.store.questions(samples=[sample_id], status=None)
    if not samples:
        raise InputError(
            f"no sample {sample_id!r}; 'kbe query samples_by_status' and 'kbe export jsonl' name those there are"
        )
    chain = sorted(
        (one for one in questions if one.run in {RAW, run or one.run}),
        key=lambda one: (one.run != RAW, one.run, one.hop),
    )
    if as_json:
        print_json([record(samples[0], question) for question in chain])
        return
    for line in story(samples[0], chain):
        click.echo(line)
