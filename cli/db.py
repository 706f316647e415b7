"""``kbe db``: the graph engine, and the whole graph for other engines and tools."""

import os
from pathlib import Path

import click

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.options import OutputFile, json_option, open_work
from kbe_graph.cli.printing import print_json, say, say_note, say_outcome, say_written
from kbe_graph.store import server_address
from kbe_graph.workspace.graph_formats import GRAPH_FORMATS

FORMATS = "; ".join(f"{name} ({row.suffix or 'a folder'}), {row.about}" for name, row in GRAPH_FORMATS.items())


@examples("kbe -w W db start", "kbe -w W db backup graph.kbe")
@click.group(cls=Group)
def db() -> None:
    """Start, stop and locate the graph engine; back the graph up, copy it, export it for other tools."""


@examples("kbe -w W db start", "kbe -w W db start --port 7687")
@db.command()
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="The Bolt port (default: a free one).")
@json_option
@click.pass_obj
def start(folder: Path, port: int, as_json: bool) -> None:
    """Keep the embedded engine up, so that cypher-shell and other tools can connect."""
    address = open_work(folder).graph.engine.start(port=port)
    line = f"the engine is up at {address.uri}; 'kbe db url' shows how to connect, 'kbe db stop' ends it"
    say_outcome({"uri": address.uri}, line, as_json=as_json)


@examples("kbe -w W db stop")
@db.command()
@json_option
@click.pass_obj
def stop(folder: Path, as_json: bool) -> None:
    """Stop the engine that was kept up, or is still warm."""
    stopped = open_work(folder).graph.engine.stop()
    line = "the engine is stopped" if stopped else "no engine is up"
    say_outcome({"stopped": stopped}, line, as_json=as_json)


@examples("kbe -w W db url", "kbe -w W db url --write")
@db.command()
@click.option("--write", is_flag=True, help="Print the login that may write, not the one that may only read.")
@json_option
@click.pass_obj
def url(folder: Path, write: bool, as_json: bool) -> None:
    """Print where the graph listens, and the name and password of a user who may only read."""
    engine = open_work(folder).graph.engine
    owner, studio = engine.address(), engine.studio()
    server = owner if write else owner.of_reader
    if server == owner and not write:
        say_note("this user may write; NEO4J_READER_USERNAME and NEO4J_READER_PASSWORD name one who may not", err=True)
    values = {"uri": server.uri, "username": server.username, "password": server.password, "database": server.database}
    if as_json:
        print_json(values | {"studio": studio})
        return
    for name, value in values.items():
        say(f"NEO4J_{name.upper()}={value or ''}")
    if studio:
        say(f"in a browser: {studio} (the user and the password above)", err=True)


@examples("kbe -w W db backup graph.kbe")
@db.command()
@click.argument("file", type=OutputFile())
@json_option
@click.pass_obj
def backup(folder: Path, file: Path, as_json: bool) -> None:
    """Write the whole graph to FILE, which any engine can restore."""
    with open_work(folder) as work:
        saved = work.graph.backup(file)
    say_written(saved._asdict(), "saved {nodes} nodes and {edges} edges to {file}", file, as_json=as_json)


@examples("kbe -w W db restore graph.kbe", "kbe -w W db restore graph.kbe --replace")
@db.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace a graph that is not empty.")
@json_option
@click.pass_obj
def restore(folder: Path, file: Path, replace: bool, as_json: bool) -> None:
    """Read the graph back from FILE."""
    with open_work(folder) as work:
        saved = work.graph.restore(file, replace=replace)
    line = f"restored {saved.nodes} nodes and {saved.edges} edges from {file}"
    say_outcome(saved._asdict(), line, as_json=as_json)


@examples("kbe -w W db copy --to neo4j://localhost:7687", "kbe -w W db copy --from neo4j://localhost:7687 --replace")
@db.command()
@click.option("--to", default=None, metavar="URI", help="The server to copy the workspace's graph to.")
@click.option("--from", "source", default=None, metavar="URI", help="The server whose graph is copied here.")
@click.option("--replace", is_flag=True, help="Replace a graph that is not empty.")
@json_option
@click.pass_obj
def copy(folder: Path, to: str | None, source: str | None, replace: bool, as_json: bool) -> None:
    """Copy the whole graph to a server, or from one.

    NEO4J_USERNAME, NEO4J_PASSWORD and NEO4J_DATABASE say how to log in there.
    """
    uri = to or source
    if uri is None or (to and source):
        raise click.UsageError("give --to URI or --from URI; one of them")
    with open_work(folder) as work:
        address = server_address(uri, work.folder.config, os.environ)
        copied = (work.graph.copy_to if to else work.graph.copy_from)(address, replace=replace)
    line = f"copied {copied.nodes} nodes and {copied.edges} edges {'to' if to else 'from'} {uri}"
    say_outcome(copied._asdict(), line, as_json=as_json)


@examples("kbe -w W db merge ../machine-1/W ../machine-2/W")
@db.command()
@click.argument("others", metavar="OTHER...", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@json_option
@click.pass_obj
def merge(folder: Path, others: tuple[Path, ...], as_json: bool) -> None:
    """Take the workspaces OTHER in, such as shards that were made on other machines.

    Where two do not agree on a sample, a question, an answer or a run, nothing is written.
    """
    with open_work(folder) as work:
        merged = work.graph.merge(*others)
    line = "took in {samples} samples with a graph, {questions} questions, {answers} answers and {calls} calls"
    say_outcome(merged._asdict(), line.format(**merged._asdict()), as_json=as_json)


@examples("kbe -w W db export graph.graphml --run seed-0", "kbe -w W db export - --format turtle")
@db.command()
@click.argument("to", type=OutputFile(or_folder=True))
@click.option("--format", "format_", type=click.Choice(list(GRAPH_FORMATS)), help=f"The format: {FORMATS}.")
@click.option("--sample", metavar="ID", help="The sample whose triplets are written (default: all samples).")
@click.option("--run", help="Take the triplets too that this run explored.")
@json_option
@click.pass_obj
def export(folder: Path, to: Path, format_: str | None, sample: str | None, run: str | None, as_json: bool) -> None:
    """Write the graph to the file or folder TO, for other engines and tools.

    Without --format the suffix of TO says which; a name without one is a folder of CSV files, and the command that
    reads them is printed.
    """
    with open_work(folder) as work:
        exported = work.graph.export(to, format=format_, sample=sample, run=run)
    words = "wrote {nodes} nodes and {edges} edges to {file}"
    if exported.command:
        words += "; run there, while the server is stopped:\n{command}"
    say_written(exported._asdict(), words, to, as_json=as_json)
