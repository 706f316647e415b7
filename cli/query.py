"""``kbe query``: a named statement, or Cypher of one's own that cannot write."""

from pathlib import Path

import click

from kbe_graph.cli.common import json_option, open_work, print_rows, print_table, split_pairs
from kbe_graph.store.statements import queries


@click.command()
@click.argument("name", required=False)
@click.option("--cypher", help="Your own Cypher instead of a named statement; it can never write.")
@click.option("-p", "--param", "parameters", multiple=True, metavar="KEY=VALUE", help="A parameter; repeatable.")
@click.option("--limit", default=1000, show_default=True, help="The most rows to print.")
@click.option("--timeout", default=60.0, show_default=True, help="The most seconds to take.")
@json_option
@click.pass_obj
def query(
    folder: Path,
    name: str | None,
    cypher: str | None,
    parameters: tuple[str, ...],
    limit: int,
    timeout: float,
    as_json: bool,
) -> None:
    """Run the statement NAME; without a name, list those there are."""
    if name and cypher:
        raise click.UsageError("give a NAME or --cypher, not both")
    if not name and not cypher:
        print_table(
            ("name", "parameters", "finds"),
            [
                (statement.name, ", ".join(parameter.name for parameter in statement.parameters), statement.meaning)
                for statement in queries()
            ],
        )
        return
    values = split_pairs(parameters, "-p") or {}
    with open_work(folder) as work:
        if cypher:
            table = work.store.query_text(cypher, values, limit=limit, timeout=timeout)
        else:
            table = work.store.query(name or "", values, limit=limit)
    print_rows(table.columns, table.rows, as_json=as_json)
