"""The options of the commands that make a run, or get one ready."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

OPTIONS = (
    click.option("--hops", default=3, show_default=True, type=click.IntRange(min=0), help="How many hops; open-ended."),
    click.option("--seed", default=0, show_default=True, help="The seed of every draw."),
    click.option("--run", help="The run's name (default: made of seed and limit)."),
    click.option("--limit", type=click.IntRange(min=1), help="Only the first samples, by id."),
    click.option(
        "--max-length", default=10, show_default=True, type=click.IntRange(1, 12), help="Longest path, in edges."
    ),
    click.option("--timeout", default=60.0, show_default=True, help="The most seconds for a path search."),
)


def scope_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options, passed as ``scope``."""

    @wraps(command)
    def given(
        *args: Any,
        hops: int,
        seed: int,
        run: str | None,
        limit: int | None,
        max_length: int,
        timeout: float,
        **more: Any,
    ) -> None:
        from kbe_graph.evolve.plan import Scope, run_name

        name = run_name(run, seed, limit)
        command(*args, scope=Scope(name, seed, hops, limit, max_length, timeout), **more)

    for option in reversed(OPTIONS):
        given = option(given)
    return given
