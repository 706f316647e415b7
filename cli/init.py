"""``kbe init``: create a workspace."""

from pathlib import Path

import click

from kbe_graph import Workspace
from kbe_graph.cli.group import examples
from kbe_graph.cli.options import json_option
from kbe_graph.cli.printing import say_outcome


@examples("kbe -w W init")
@click.command()
@json_option
@click.pass_obj
def init(folder: Path, as_json: bool) -> None:
    """Create the workspace folder. An existing workspace is not changed."""
    place = Workspace(folder).folder
    line = f"workspace at {place.path}; settings in {place.config.file}"
    say_outcome({"workspace": place.path, "settings": place.config.file}, line, as_json=as_json)
