"""``kbe db``: the graph engine."""

from pathlib import Path

import click

from kbe_graph.cli.common import address, json_option, open_graph, print_json
from kbe_graph.errors import ConfigError
from kbe_graph.store import embedded
from kbe_graph.workspace import Workspace, open_workspace


@click.group()
def db() -> None:
    """Start, stop and locate the graph engine; back the graph up, restore it."""


@db.command()
@click.option("--port", default=0, help="The Bolt port (default: a free one).")
@click.pass_obj
def start(folder: Path, port: int) -> None:
    """Keep the embedded engine up, so that cypher-shell and other tools connect."""
    workspace = _embedded(folder)
    endpoint = embedded.start(workspace.hidden, port=port)
    click.echo(f"the engine is up at {endpoint.uri}; 'kbe db url' shows how to connect, 'kbe db stop' ends it")


@db.command()
@click.pass_obj
def stop(folder: Path) -> None:
    """Stop the engine that was kept up."""
    stopped = embedded.stop(_embedded(folder).hidden)
    click.echo("the engine is stopped" if stopped else "no engine is kept up")


@db.command()
@json_option
@click.pass_obj
def url(folder: Path, as_json: bool) -> None:
    """Print where the graph listens, and with what name and password."""
    workspace = open_workspace(folder)
    server = address(workspace) or embedded.url(workspace.hidden)
    if server is None:
        raise ConfigError("no engine is kept up; start one with 'kbe db start'")
    values = {"uri": server.uri, "username": server.username, "password": server.password, "database": server.database}
    if as_json:
        print_json(values)
        return
    for name, value in values.items():
        click.echo(f"NEO4J_{name.upper()}={value or ''}")


@db.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.pass_obj
def backup(folder: Path, file: Path) -> None:
    """Write the whole graph to FILE, which any engine can restore."""
    with open_graph(folder) as graph:
        saved = graph.store.backup(file)
    click.echo(f"saved {saved.nodes} nodes and {saved.edges} edges to {file}")


@db.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace a graph that is not empty.")
@click.pass_obj
def restore(folder: Path, file: Path, replace: bool) -> None:
    """Read the graph back from FILE."""
    with open_graph(folder) as graph:
        saved = graph.store.restore(file, replace=replace)
    click.echo(f"restored {saved.nodes} nodes and {saved.edges} edges from {file}")


def _embedded(folder: Path) -> Workspace:
    workspace = open_workspace(folder)
    server = address(workspace)
    if server is not None:
        raise ConfigError(
            f"the graph is the Neo4j server at {server.uri!r}; unset NEO4J_URI to use the embedded engine"
        )
    return workspace
