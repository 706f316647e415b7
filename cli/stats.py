"""``kbe stats``: the statistics of the questions, hop by hop."""

import sys
from pathlib import Path

import click

from kbe_graph.cli.common import open_work, print_table
from kbe_graph.cli.scope import chosen_run_option, incomplete_option


@click.command()
@chosen_run_option
@incomplete_option
@click.option("--format", "format_", type=click.Choice(["table", "json", "csv"]), default="table", help="How to print.")
@click.pass_obj
def stats(folder: Path, run: str | None, incomplete: bool, format_: str) -> None:
    """Print question and answer words, key edges and distinct relations by benchmark and hop (the paper's Table 2)."""
    with open_work(folder) as work:
        frame = work.statistics(run, incomplete=incomplete)
    if format_ == "json":
        click.echo(frame.to_json(orient="records", indent=2))
    elif format_ == "csv":
        frame.to_csv(sys.stdout, index=False)
    else:
        print_table(list(frame.columns), frame.to_numpy().tolist())
