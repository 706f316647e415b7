"""``kbe db``: the graph engine."""

from pathlib import Path

import click

from kbe_graph.cli.common import json_option, open_work
from kbe_graph.cli.group import Group
from kbe_graph.cli.option_types import OutputFile
from kbe_graph.cli.printing import print_json, say, say_written


@click.group(cls=Group)
def db() -> None:
    """Start, stop and locate the graph engine; back the graph up, restore it."""


@db.command()
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="The Bolt port (default: a free one).")
@click.pass_obj
def start(folder: Path, port: int) -> None:
    """Keep the embedded engine up, so that cypher-shell and other tools can connect."""
    address = open_work(folder).engine.start(port=port)
    say(f"the engine is up at {address.uri}; 'kbe db url' shows how to connect, 'kbe db stop' ends it")


@db.command()
@click.pass_obj
def stop(folder: Path) -> None:
    """Stop the engine that was kept up, or is still warm."""
    stopped = open_work(folder).engine.stop()
    say("the engine is stopped" if stopped else "no engine is up")


@db.command()
@json_option
@click.pass_obj
def url(folder: Path, as_json: bool) -> None:
    """Print where the graph listens, and with what name and password."""
    engine = open_work(folder).engine
    server, studio = engine.address(), engine.studio()
    values = {"uri": server.uri, "username": server.username, "password": server.password, "database": server.database}
    if as_json:
        print_json(values | {"studio": studio})
        return
    for name, value in values.items():
        say(f"NEO4J_{name.upper()}={value or ''}")
    if studio:
        say(f"in a browser: {studio} (the user and the password above)", err=True)


@db.command()
@click.argument("file", type=OutputFile())
@json_option
@click.pass_obj
def backup(folder: Path, file: Path, as_json: bool) -> None:
    """Write the whole graph to FILE, which any engine can restore."""
    with open_work(folder) as work:
        saved = work.backup(file)
    say_written(saved._asdict(), "saved {nodes} nodes and {edges} edges to {file}", file, as_json=as_json)


@db.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace a graph that is not empty.")
@click.pass_obj
def restore(folder: Path, file: Path, replace: bool) -> None:
    """Read the graph back from FILE."""
    with open_work(folder) as work:
        saved = work.restore(file, replace=replace)
    say(f"restored {saved.nodes} nodes and {saved.edges} edges from {file}")
