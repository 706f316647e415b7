"""``kbe init``: make a workspace."""

from pathlib import Path

import click

from kbe_graph import Workspace
from kbe_graph.cli.printing import say


@click.command()
@click.pass_obj
def init(folder: Path) -> None:
    """Make the workspace folder; one that is there already stays as it is."""
    place = Workspace(folder).folder
    say(f"workspace at {place.path}; settings in {place.config.file}")
