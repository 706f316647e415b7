"""``kbe query`` and ``db``: queries of the graph, its engine, and backups of it."""

import json
import sys
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import click

from kbe_graph import Workspace
from kbe_graph.cli.face import Output, command, group, open_work
from kbe_graph.cli.printing import (
    heading,
    print_json,
    print_rows,
    print_table,
    say,
    say_note,
    say_outcome,
    say_written,
    wants_json,
)
from kbe_graph.errors import InputError
from kbe_graph.options import About, pairs_of
from kbe_graph.store.statements import pasted, queries, query_statement

LIMIT = 1_000
COLUMNS = ("about", "name", "parameters", "finds")


class QueryName(click.Choice[str]):
    """The name of a query, which the shell completes; the graph refuses an unknown one."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take any name."""
        del param, ctx
        return value


@command(
    "kbe -w W query questions_through -p entity=dog",
    "kbe -w W query --cypher 'MATCH (s:Sample) RETURN s.id LIMIT 5'",
)
def query(
    folder: Path,
    name: Annotated[str | None, QueryName([statement.name for statement in queries()]), "NAME"] = None,
    *,
    text: Annotated[bool, About("Print the Cypher of the query NAME, for Neo4j Browser or cypher-shell.")] = False,
    cypher: Annotated[str | None, About("Your own Cypher instead of a named query; it is always read-only.")] = None,
    file: Annotated[Path | None, About("File with your own Cypher; - reads standard input.")] = None,
    param: Annotated[
        tuple[str, ...],
        About(
            "Query parameter; repeatable. For your own Cypher, values are parsed as JSON if possible (hop=2 is a "
            "number), else as text.",
            flag="-p/--param",
            metavar="KEY=VALUE",
        ),
    ] = (),
    limit: Annotated[
        int | None, About(f"Maximum number of rows to print (default: {LIMIT}, or the query's own limit).", least=1)
    ] = None,
    timeout: Annotated[float, About("Time limit in seconds.", above=0, most=1e8)] = 60.0,
) -> None:
    """Run the query NAME, or your own Cypher. Without either, list all named queries by purpose."""
    if sum(way is not None for way in (name, cypher, file)) > 1:
        raise click.UsageError("give only one of NAME, --cypher and --file")
    own = _read(file) if file else cypher
    if text or (name is None and own is None):
        _print_text(name) if text else _list()
        return
    values = pairs_of(param, "-p")
    with open_work(folder) as work:
        if own is None:
            table = work.store.query(name or "", values, limit=limit, timeout=timeout)
        else:
            parameters = {key: typed(value) for key, value in values.items()}
            table = work.store.query_text(own, parameters, limit=limit or LIMIT, timeout=timeout)
    print_rows(table.columns, table.rows)
    if table.cut:
        say_note(f"only the first {len(table.rows)} rows are shown; --limit N shows more", err=True)


def typed(text: str) -> Any:
    """Parse a JSON value (1, 2.5, true, null, "text", a list), or return the text unchanged.

    >>> typed("1"), typed('"1"'), typed("[1, 2]"), typed("giraffe")
    (1, '1', [1, 2], 'giraffe')
    """
    try:
        value = json.loads(text, parse_constant=_refuse)
    except ValueError:
        return text
    return text if isinstance(value, dict) else value


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _read(file: Path) -> str:
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{str(file)!r} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise InputError(f"cannot read {str(file)!r}: {error.strerror}") from None


def _print_text(name: str | None) -> None:
    if name is None:
        raise click.UsageError("--text prints the query NAME; give a NAME")
    say(pasted(query_statement(name)))


def _list() -> None:
    rows = [
        (each.about, each.name, ", ".join(parameter.name for parameter in each.parameters), each.meaning)
        for each in queries()
    ]
    if wants_json():
        print_json(
            [
                dict(zip(COLUMNS, row, strict=True)) | {"columns": dict(each.columns)}
                for each, row in zip(queries(), rows, strict=True)
            ]
        )
    elif not sys.stdout.isatty():
        print_table(COLUMNS, rows)
    else:
        for about, group in groupby(rows, key=itemgetter(0)):
            heading(about)
            print_table(COLUMNS[1:], [row[1:] for row in group])


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
def backup(
    work: Workspace,
    file: Output,
    *,
    replace: Annotated[bool, About("Also replace a file that is there and is no backup.")] = False,
) -> None:
    """Back up the whole graph to FILE, which any engine can restore."""
    saved = work.graph.backup(file, replace=replace)
    say_written(saved._asdict(), "backed up {nodes} nodes and {edges} edges to {file}", file)


@command("kbe -w W db restore graph.kbe", "kbe -w W db restore graph.kbe --replace", of=db)
def restore(
    work: Workspace, file: Path, *, replace: Annotated[bool, About("Replace a graph that is not empty.")] = False
) -> None:
    """Restore the graph from FILE, a backup."""
    saved = work.graph.restore(file, replace=replace)
    say_outcome(saved._asdict(), f"restored {saved.nodes} nodes and {saved.edges} edges from {file}")
