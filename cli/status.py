"""``kbe status``: counts by stage, hop and reason."""

from pathlib import Path

import click

from kbe_graph.cli.common import json_option, open_graph, print_json, print_mapping, run_option


@click.command()
@run_option
@json_option
@click.pass_obj
def status(folder: Path, run: str | None, as_json: bool) -> None:
    """Print how many samples and questions there are at each stage, why the others were dropped, and what filters are worth."""
    from kbe_graph.evolve.worth import faulty_shares

    with open_graph(folder) as graph:
        graph.store.require_run(run)
        counts = graph.store.status(run)
        for name, of_run in counts["runs"].items():
            of_run["faulty share"] = faulty_shares(graph.store, name)
    if as_json:
        print_json(counts)
    else:
        print_mapping(counts)
