"""``kbe doctor``: each setting and where it came from; what works here."""

from pathlib import Path

import click

from kbe_graph.cli.common import json_option
from kbe_graph.cli.group import examples
from kbe_graph.cli.printing import print_rows


@examples("kbe -w W doctor")
@click.command()
@json_option
@click.pass_obj
def doctor(folder: Path, as_json: bool) -> None:
    """Print each setting with where it came from, and whether graph and parser can be used."""
    from kbe_graph.workspace.diagnosis import diagnose

    rows = diagnose(folder)
    print_rows(("what", "value", "origin"), rows, as_json=as_json)
    if any(row.value.startswith("fails") for row in rows):
        raise click.exceptions.Exit(1)
