"""``kbe show``: one sample, its questions, key paths and sources."""

from pathlib import Path

import click

from kbe_graph.cli.group import examples
from kbe_graph.cli.options import json_option, open_work, run_option
from kbe_graph.cli.printing import print_json, print_story


@examples("kbe -w W show okvqa/val/2971475")
@click.command()
@click.argument("id_", metavar="ID")
@run_option
@json_option
@click.pass_obj
def show(folder: Path, id_: str, run: str | None, as_json: bool) -> None:
    """Print the image, question chain, key paths and sources of one sample. ID is a sample id or a question id."""
    with open_work(folder) as work:
        sample = work.sample(id_, run=run)
    if as_json:
        print_json(sample.records())
    else:
        print_story(sample)
