"""The options of the commands that make a run, or get one ready."""

from typing import NamedTuple

import click

from kbe_graph.cli.common import Options
from kbe_graph.cli.option_types import SECONDS

FILTERS = (
    "Which checks judge: those of the paper alone (paper), all, or those that are named; 'kbe filters' lists them. "
    "What keeps a run sound is always asked."
)


RESELECT = (
    "Which samples are asked about something else in the image: those whose answer is no noun (needed), as in the "
    "paper, or all. New hops start from those of 'needed' alone."
)


class ScopeFlags(NamedTuple):
    """What a run is asked for."""

    hops: int
    seed: int
    run: str | None
    limit: int | None
    sample: int | None
    max_length: int
    timeout: float
    filters: str
    reselect: str
    unsourced: bool


scope_options = Options(
    "scope",
    ScopeFlags,
    (
        click.option(
            "--hops", default=3, show_default=True, type=click.IntRange(min=0), help="How many hops; there is no limit."
        ),
        click.option("--seed", default=0, show_default=True, help="The seed of every draw."),
        click.option("--run", help="The run's name (default: made from seed, limit and sample)."),
        click.option("--limit", type=click.IntRange(min=1), help="Take only the first samples, by id."),
        click.option("--sample", type=click.IntRange(min=1), help="Take only so many samples, drawn by the seed."),
        click.option(
            "--max-length",
            default=10,
            show_default=True,
            type=click.IntRange(1, 12),
            help="The longest path that re-selection follows, in edges.",
        ),
        click.option(
            "--timeout",
            default=60.0,
            show_default=True,
            type=SECONDS,
            help="The most seconds that the search for a path may take.",
        ),
        click.option("--filters", default="all", show_default=True, metavar="paper|all|NAME,...", help=FILTERS),
        click.option(
            "--reselect",
            default="needed",
            show_default=True,
            type=click.Choice(["needed", "all"]),
            help=RESELECT,
        ),
        click.option(
            "--unsourced",
            type=bool,
            default=True,
            show_default="on",
            metavar="on|off",
            help="Use facts that were told without opening a source (on), or refuse them (off).",
        ),
    ),
)
