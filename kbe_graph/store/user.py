"""What users ask of the graph: named statements, and Cypher of their own that cannot write.

Three fences, because no engine offers one that holds everywhere: words that write, or that act outside of a
transaction, are refused before anything is sent; the statement runs in a transaction for reading that is always rolled
back; and an answer whose counters say that something was written is refused.
"""

from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection
from kbe_graph.store.guard import refuse_writing
from kbe_graph.store.statements import bind, query_statement


class Table(NamedTuple):
    """Rows with the names of their columns; ``cut`` says that there were more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool = False


def query(connection: Connection, name: str, parameters: dict[str, Any], *, limit: int | None = None) -> Table:
    """Run a statement of kind query; ``limit`` cuts its rows."""
    statement = query_statement(name)
    table = _ask(connection, statement.text, bind(statement, parameters), limit=limit, timeout=None)
    return table._replace(
        columns=tuple(name for name, _ in statement.columns)
    )  # an engine may name none where no row is found


def query_text(
    connection: Connection, text: str, parameters: dict[str, Any], *, limit: int | None, timeout: float
) -> Table:
    """Run a user's own text, for ``limit`` rows (None: all) and ``timeout`` seconds; it must not write (InputError)."""
    return _ask(connection, refuse_writing(text), parameters, limit=limit, timeout=timeout)


def _ask(
    connection: Connection, text: str, parameters: dict[str, Any], *, limit: int | None, timeout: float | None
) -> Table:
    with connection.session() as session:
        transaction = session.begin_transaction(timeout=timeout)
        try:
            result = transaction.run(text, parameters)
            columns = tuple(result.keys())
            rows = list(result) if limit is None else result.fetch(limit + 1)
            if result.consume().counters.contains_updates:
                raise InputError("the query would write; a query may only read")
        finally:
            transaction.close()  # rolls back
    shown = rows if limit is None else rows[:limit]
    return Table(
        columns, tuple(tuple(_plain(value) for value in row.values()) for row in shown), len(rows) > len(shown)
    )


def _plain(value: Any) -> Any:
    """Return a value of the graph as plain data: nodes and edges as mappings, paths as lists of them."""
    from neo4j.graph import Node, Path, Relationship

    if isinstance(value, Node):
        return {"labels": sorted(value.labels), **dict(value.items())}
    if isinstance(value, Relationship):
        return {"type": value.type, **dict(value.items())}
    if isinstance(value, Path):
        return [
            _plain(part)
            for pair in zip(value.nodes, (*value.relationships, None), strict=True)
            for part in pair
            if part is not None
        ]
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
