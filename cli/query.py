"""``kbe query``: run a named query, or your own read-only Cypher."""

from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TextIO

import click
from click.shell_completion import CompletionItem

from kbe_graph.cli.group import examples
from kbe_graph.cli.options import SECONDS, json_option, open_work, split_pairs, typed
from kbe_graph.cli.printing import is_terminal, paint, print_json, print_rows, print_table, say, say_note
from kbe_graph.store.statements import pasted, queries, query_statement

LIMIT = 1_000


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    del ctx, param
    return [
        CompletionItem(statement.name, help=statement.meaning)
        for statement in queries()
        if statement.name.startswith(incomplete)
    ]


@examples(
    "kbe -w W query questions_through -p entity=dog",
    "kbe -w W query --cypher 'MATCH (s:Sample) RETURN s.id LIMIT 5'",
)
@click.command()
@click.argument("name", required=False, shell_complete=_complete)
@click.option(
    "--text", "as_text", is_flag=True, help="Print the Cypher of the query NAME, for Neo4j Browser or cypher-shell."
)
@click.option("--cypher", help="Your own Cypher instead of a named query; it is always read-only.")
@click.option("--file", type=click.File(encoding="utf-8"), help="File with your own Cypher; - reads standard input.")
@click.option(
    "-p",
    "--param",
    "parameters",
    multiple=True,
    metavar="KEY=VALUE",
    help="Query parameter; repeatable. For your own Cypher, values are parsed as JSON if possible (hop=2 is a number), "
    "else as text.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help=f"Maximum number of rows to print (default: {LIMIT}, or the query's own limit).",
)
@click.option("--timeout", default=60.0, show_default=True, type=SECONDS, help="Time limit in seconds.")
@json_option
@click.pass_obj
def query(
    folder: Path,
    name: str | None,
    cypher: str | None,
    file: TextIO | None,
    parameters: tuple[str, ...],
    as_text: bool,
    limit: int | None,
    timeout: float,
    as_json: bool,
) -> None:
    """Run the query NAME, or your own Cypher. Without either, list all named queries by purpose."""
    if sum(way is not None for way in (name, cypher, file)) > 1:
        raise click.UsageError("give only one of NAME, --cypher and --file")
    if as_text:
        if name is None:
            raise click.UsageError("--text prints the query NAME; give a NAME")
        say(pasted(query_statement(name)))
        return
    text = _read(file) if file else cypher
    if name is None and text is None:
        _list(as_json=as_json)
        return
    values = split_pairs(parameters, "-p") or {}
    with open_work(folder) as work:
        if text is None:
            table = work.store.query(name or "", values, limit=limit, timeout=timeout)
        else:
            own = {key: typed(value) for key, value in values.items()}
            table = work.store.query_text(text, own, limit=limit or LIMIT, timeout=timeout)
    print_rows(table.columns, table.rows, as_json=as_json)
    if table.cut:
        say_note(f"only the first {len(table.rows)} rows are shown; --limit N shows more", err=True)


def _read(file: TextIO) -> str:
    try:
        return str(file.read())
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file.name!r} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def _list(*, as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {
                    "name": statement.name,
                    "about": statement.about,
                    "finds": statement.meaning,
                    "reads": statement.reads,
                    "parameters": [
                        {"name": each.name, "type": each.kind, "required": each.required, "meaning": each.meaning}
                        for each in statement.parameters
                    ],
                    "columns": dict(statement.columns),
                }
                for statement in queries()
            ]
        )
        return
    rows = [
        (each.about, each.name, ", ".join(parameter.name for parameter in each.parameters), each.meaning)
        for each in queries()
    ]
    if not is_terminal():
        print_table(("about", "name", "parameters", "finds"), rows)
        return
    for about, group in groupby(rows, key=itemgetter(0)):
        say(about, paint=partial(paint, style="heading"))
        print_table(("name", "parameters", "finds"), [row[1:] for row in group])
        say("")
