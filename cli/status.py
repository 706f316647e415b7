"""``kbe status``: the number of samples at each stage."""

from pathlib import Path

import click

from kbe_graph.cli.group import examples
from kbe_graph.cli.options import json_option, open_work, run_option
from kbe_graph.cli.printing import print_json, print_mapping, print_status


@examples("kbe -w W status", "kbe -w W status --all --json")
@click.command()
@run_option
@click.option("--all", "everything", is_flag=True, help="Print all counts by stage, hop and reason.")
@json_option
@click.pass_obj
def status(folder: Path, run: str | None, everything: bool, as_json: bool) -> None:
    """Show how many samples reached each stage of a run, and why the others were dropped."""
    with open_work(folder) as work:
        counts = work.status(run)
    if as_json:
        print_json(counts)
    elif everything:
        print_mapping(counts)
    else:
        print_status(counts)
