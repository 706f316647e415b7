"""``kbe db``: the graph engine, and backups of the whole graph."""

from pathlib import Path
from typing import Annotated

from kbe_graph import Workspace
from kbe_graph.cli.face import Output, command, group
from kbe_graph.cli.printing import print_json, say, say_note, say_outcome, say_written, wants_json
from kbe_graph.options import About


@group("kbe -w W db start", "kbe -w W db backup graph.kbe")
def db() -> None:
    """Start, stop and locate the graph engine; back up and restore the graph."""


@command("kbe -w W db start", "kbe -w W db start --port 7687", of=db)
def start(work: Workspace, *, port: Annotated[int, About("Bolt port (default: a free one).", 0, 65_535)] = 0) -> None:
    """Start the embedded engine and keep it running, so that cypher-shell and other tools can connect."""
    address = work.graph.engine.start(port=port)
    line = f"the engine is running at {address.uri}; 'kbe db url' shows how to connect, 'kbe db stop' stops it"
    say_outcome({"uri": address.uri}, line)


@command("kbe -w W db stop", of=db)
def stop(work: Workspace) -> None:
    """Stop the running engine: one started with 'kbe db start', or one still warm after a command."""
    stopped = work.graph.engine.stop()
    say_outcome({"stopped": stopped}, "stopped the engine" if stopped else "no engine is running")


@command("kbe -w W db url", "kbe -w W db url --write", of=db)
def url(
    work: Workspace,
    *,
    write: Annotated[bool, About("Print the login with write access instead of the read-only one.")] = False,
) -> None:
    """Print the address of the graph, and the name and password of a read-only user."""
    owner, studio = work.graph.engine.address(), work.graph.engine.studio()
    server = owner if write else owner.of_reader
    if server == owner and not write:
        say_note(
            "this user can write; set NEO4J_READER_USERNAME and NEO4J_READER_PASSWORD to a read-only user", err=True
        )
    values = {"uri": server.uri, "username": server.username, "password": server.password, "database": server.database}
    if wants_json():
        print_json(values | {"studio": studio})
        return
    for name, value in values.items():
        say(f"NEO4J_{name.upper()}={value or ''}")
    if studio:
        say(f"in a browser: {studio} (log in with the username and password above)", err=True)


@command("kbe -w W db backup graph.kbe", of=db)
def backup(work: Workspace, file: Output) -> None:
    """Back up the whole graph to FILE, which any engine can restore."""
    saved = work.graph.backup(file)
    say_written(saved._asdict(), "backed up {nodes} nodes and {edges} edges to {file}", file)


@command("kbe -w W db restore graph.kbe", "kbe -w W db restore graph.kbe --replace", of=db)
def restore(
    work: Workspace, file: Path, *, replace: Annotated[bool, About("Replace a graph that is not empty.")] = False
) -> None:
    """Restore the graph from FILE, a backup."""
    saved = work.graph.restore(file, replace=replace)
    say_outcome(saved._asdict(), f"restored {saved.nodes} nodes and {saved.edges} edges from {file}")
