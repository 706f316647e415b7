"""``kbe init``: make a workspace."""

from pathlib import Path

import click

from kbe_graph.workspace import create_workspace


@click.command()
@click.pass_obj
def init(folder: Path) -> None:
    """Make the workspace folder; one that is there already stays as it is."""
    workspace = create_workspace(folder)
    click.echo(f"workspace at {workspace.folder}; settings in {workspace.config.file}")
