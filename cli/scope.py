"""The options of the commands that make a run, or get one ready."""

from typing import TYPE_CHECKING

import click

from kbe_graph.cli.common import Options

if TYPE_CHECKING:
    from kbe_graph.evolve.plan import Scope


def _scope(hops: int, seed: int, run: str | None, limit: int | None, max_length: int, timeout: float) -> "Scope":
    from kbe_graph.evolve.plan import Scope, run_name

    return Scope(run_name(run, seed, limit), seed, hops, limit, max_length, timeout)


scope_options = Options(
    "scope",
    _scope,
    (
        click.option(
            "--hops", default=3, show_default=True, type=click.IntRange(min=0), help="How many hops; open-ended."
        ),
        click.option("--seed", default=0, show_default=True, help="The seed of every draw."),
        click.option("--run", help="The run's name (default: made of seed and limit)."),
        click.option("--limit", type=click.IntRange(min=1), help="Only the first samples, by id."),
        click.option(
            "--max-length", default=10, show_default=True, type=click.IntRange(1, 12), help="Longest path, in edges."
        ),
        click.option("--timeout", default=60.0, show_default=True, help="The most seconds for a path search."),
    ),
)
