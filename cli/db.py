"""``kbe db``: the graph engine, and backups, copies and exports of the whole graph."""

import os
from pathlib import Path

import click

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.options import OutputFile, json_option, open_work
from kbe_graph.cli.printing import print_json, say, say_note, say_outcome, say_written
from kbe_graph.store import server_address


@examples("kbe -w W db start", "kbe -w W db backup graph.kbe")
@click.group(cls=Group)
def db() -> None:
    """Start, stop and locate the graph engine; back up, copy and export the graph."""


@examples("kbe -w W db start", "kbe -w W db start --port 7687")
@db.command()
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="Bolt port (default: a free one).")
@json_option
@click.pass_obj
def start(folder: Path, port: int, as_json: bool) -> None:
    """Start the embedded engine and keep it running, so that cypher-shell and other tools can connect."""
    address = open_work(folder).graph.engine.start(port=port)
    line = f"the engine is running at {address.uri}; 'kbe db url' shows how to connect, 'kbe db stop' stops it"
    say_outcome({"uri": address.uri}, line, as_json=as_json)


@examples("kbe -w W db stop")
@db.command()
@json_option
@click.pass_obj
def stop(folder: Path, as_json: bool) -> None:
    """Stop the running engine: one started with 'kbe db start', or one still warm after a command."""
    stopped = open_work(folder).graph.engine.stop()
    line = "stopped the engine" if stopped else "no engine is running"
    say_outcome({"stopped": stopped}, line, as_json=as_json)


@examples("kbe -w W db url", "kbe -w W db url --write")
@db.command()
@click.option("--write", is_flag=True, help="Print the login with write access instead of the read-only one.")
@json_option
@click.pass_obj
def url(folder: Path, write: bool, as_json: bool) -> None:
    """Print the address of the graph, and the name and password of a read-only user."""
    engine = open_work(folder).graph.engine
    owner, studio = engine.address(), engine.studio()
    server = owner if write else owner.of_reader
    if server == owner and not write:
        say_note(
            "this user can write; set NEO4J_READER_USERNAME and NEO4J_READER_PASSWORD to a read-only user", err=True
        )
    values = {"uri": server.uri, "username": server.username, "password": server.password, "database": server.database}
    if as_json:
        print_json(values | {"studio": studio})
        return
    for name, value in values.items():
        say(f"NEO4J_{name.upper()}={value or ''}")
    if studio:
        say(f"in a browser: {studio} (log in with the username and password above)", err=True)


@examples("kbe -w W db backup graph.kbe")
@db.command()
@click.argument("file", type=OutputFile())
@json_option
@click.pass_obj
def backup(folder: Path, file: Path, as_json: bool) -> None:
    """Back up the whole graph to FILE, which any engine can restore."""
    with open_work(folder) as work:
        saved = work.graph.backup(file)
    say_written(saved._asdict(), "backed up {nodes} nodes and {edges} edges to {file}", file, as_json=as_json)


@examples("kbe -w W db restore graph.kbe", "kbe -w W db restore graph.kbe --replace")
@db.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace a graph that is not empty.")
@json_option
@click.pass_obj
def restore(folder: Path, file: Path, replace: bool, as_json: bool) -> None:
    """Restore the graph from FILE, a backup."""
    with open_work(folder) as work:
        saved = work.graph.restore(file, replace=replace)
    line = f"restored {saved.nodes} nodes and {saved.edges} edges from {file}"
    say_outcome(saved._asdict(), line, as_json=as_json)


@examples("kbe -w W db copy --to neo4j://localhost:7687", "kbe -w W db copy --from neo4j://localhost:7687 --replace")
@db.command()
@click.option("--to", default=None, metavar="URI", help="Server to copy the workspace's graph to.")
@click.option("--from", "source", default=None, metavar="URI", help="Server to copy a graph from, into the workspace.")
@click.option("--replace", is_flag=True, help="Replace a graph that is not empty.")
@json_option
@click.pass_obj
def copy(folder: Path, to: str | None, source: str | None, replace: bool, as_json: bool) -> None:
    """Copy the whole graph to or from a server.

    NEO4J_USERNAME, NEO4J_PASSWORD and NEO4J_DATABASE set the login on that server.
    """
    uri = to or source
    if uri is None or (to and source):
        raise click.UsageError("give either --to URI or --from URI")
    with open_work(folder) as work:
        address = server_address(uri, work.folder.config, os.environ)
        copied = (work.graph.copy_to if to else work.graph.copy_from)(address, replace=replace)
    line = f"copied {copied.nodes} nodes and {copied.edges} edges {'to' if to else 'from'} {uri}"
    say_outcome(copied._asdict(), line, as_json=as_json)


@examples("kbe -w W db export graph.graphml --run seed-0", "kbe -w W db export - --sample ID")
@db.command()
@click.argument("to", type=OutputFile())
@click.option("--sample", metavar="ID", help="Write only the triplets of this sample.")
@click.option("--run", help="Include the triplets that this run explored.")
@json_option
@click.pass_obj
def export(folder: Path, to: Path, sample: str | None, run: str | None, as_json: bool) -> None:
    """Export the triplets to the file TO as GraphML, for Gephi, yEd, Cytoscape and networkx."""
    with open_work(folder) as work:
        exported = work.graph.export(to, sample=sample, run=run)
    say_written(exported._asdict(), "wrote {nodes} nodes and {edges} edges to {file}", to, as_json=as_json)
