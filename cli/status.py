"""``kbe status``: counts by stage, hop and reason."""

from pathlib import Path

import click

from kbe_graph.cli.common import json_option, open_graph, print_json, print_mapping, require_run, run_option


@click.command()
@run_option
@json_option
@click.pass_obj
def status(folder: Path, run: str | None, as_json: bool) -> None:
    """Print how many samples and questions there are at each stage, and why the others were dropped."""
    with open_graph(folder) as graph:
        require_run(graph.store, run)
        counts = graph.store.status(run)
    if as_json:
        print_json(counts)
    else:
        print_mapping(counts)
