"""``kbe evolve``: write new questions, hop by hop."""

from pathlib import Path

import click

from kbe_graph.cli.common import Steady, open_graph, print_mapping
from kbe_graph.cli.wikidata import Asked, wikidata_options


@click.command()
@click.option("--hops", default=3, show_default=True, type=click.IntRange(min=0), help="How many hops; open-ended.")
@click.option("--seed", default=0, show_default=True, help="The seed of every draw.")
@click.option("--run", help="The run's name (default: made of seed and limit).")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first samples, by id.")
@click.option("--max-length", default=10, show_default=True, type=click.IntRange(1, 12), help="Longest path, in edges.")
@click.option("--timeout", default=60.0, show_default=True, help="The most seconds for a path search.")
@click.option("--knowledge", default="pack", show_default=True, type=click.Choice(["pack", "wikidata"]))
@wikidata_options
@click.pass_obj
def evolve(
    folder: Path,
    hops: int,
    seed: int,
    run: str | None,
    limit: int | None,
    max_length: int,
    timeout: float,
    knowledge: str,
    asked: Asked,
) -> None:
    """Re-select and explore; the same command again goes on where it stopped, and does nothing when it is done."""
    from kbe_graph.evolve.offline import offline_run, run_name

    name = run_name(run, seed, limit)
    with open_graph(folder) as graph:
        offline_run(
            graph.workspace,
            graph.store,
            name=name,
            seed=seed,
            hops=hops,
            limit=limit,
            max_length=max_length,
            timeout=timeout,
            wikidata=asked.settings(graph.workspace) if knowledge == "wikidata" else None,
            progress=Steady(),
        )
        print_mapping(graph.store.status(name))
