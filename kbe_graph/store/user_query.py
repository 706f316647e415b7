"""Queries of users: named statements, and Cypher of their own that cannot write.

The engine itself sees to it. The embedded one is asked as a user whom it lets only read. Neo4j is asked as such a user
where the settings name one, and else explains the statement first, and runs it in a transaction for reading; that one
is always rolled back. Before anything is sent, a text with words, functions or procedures that do not read is refused
(``guard``); an answer whose counters say that something was written is refused as well.
"""

import json
import re
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection
from kbe_graph.store.faults import StatementTimeout, our_errors
from kbe_graph.store.guard import refuse_writing
from kbe_graph.store.message_size import refuse_large, refuse_unfit
from kbe_graph.store.statements import bind, query_statement

if TYPE_CHECKING:
    import neo4j

READS = "r"  # so a server calls the type of a statement that only reads
LOADS = "LoadCSV"  # the step of a plan that reads files
_UNPROFILED = re.compile(r"\s*PROFILE\b", re.IGNORECASE)
GRACE = 2.0  # seconds that a server which keeps time limits itself has to say so


class Table(NamedTuple):
    """Rows with the names of their columns; ``cut`` says that there were more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool = False


class Asked(NamedTuple):
    """A query to send: text, parameters, the most rows (None: all), the most seconds (None: no limit)."""

    text: str
    parameters: dict[str, Any]
    limit: int | None
    timeout: float | None


def query(
    connection: Connection,
    name: str,
    parameters: dict[str, Any],
    *,
    limit: int | None = None,
    timeout: float | None = None,
) -> Table:
    """Run a statement of kind query; ``limit`` cuts its rows, else its own parameter of that name does."""
    statement = query_statement(name)
    values = bind(statement, parameters)
    if "limit" in values:
        given = "limit" in parameters or limit is None
        limit = min(values["limit"], limit or values["limit"]) if given else limit
        values["limit"] = (limit or 0) + 1  # one more, to know whether there are more
    table = _ask(connection, Asked(statement.text, values, limit, timeout))
    return table._replace(
        columns=tuple(name for name, _ in statement.columns)
    )  # an engine may name none where no row is found


def query_text(
    connection: Connection, text: str, parameters: dict[str, Any], *, limit: int | None, timeout: float
) -> Table:
    """Run a user's own text, for ``limit`` rows (None: all) and ``timeout`` seconds; it must not write (InputError)."""
    refuse_large({"": text})  # to look for words that write takes long there
    return _ask(connection, Asked(refuse_writing(text), parameters, limit, timeout))


def _ask(connection: Connection, asked: Asked) -> Table:
    """Ask in a thread, over a driver of its own, so that the query can be ended: when its time is up, or by Ctrl+C.

    Raises InputError for a query that fits no message.
    """
    refuse_unfit([asked.text, asked.parameters])
    refuse_large({"": asked.text, **asked.parameters})
    answer: Future[Table] = Future()
    driver = connection.query_login.dial()
    threading.Thread(target=_answer, args=(connection, driver, asked, answer), daemon=True).start()
    grace = 0.0 if connection.halt else GRACE
    try:
        return answer.result(None if asked.timeout is None else asked.timeout + grace)
    except TimeoutError:
        _end(connection, driver)
        raise StatementTimeout(
            f"the query took longer than its limit of {asked.timeout:g} seconds; ask for less, or raise the limit"
        ) from None
    except (KeyboardInterrupt, SystemExit):
        _end(connection, driver)
        raise
    finally:
        driver.close()


def _end(connection: Connection, driver: "neo4j.Driver") -> None:
    """End the running query: close its connection, and end its engine if that does not stop it."""
    if connection.halt is not None:
        connection.halt()
    driver.close()


def _answer(connection: Connection, driver: "neo4j.Driver", asked: Asked, answer: Future[Table]) -> None:
    try:
        table = _fetch(connection, driver, asked)
    except BaseException as error:  # noqa: BLE001 - it is raised where the answer is waited for
        answer.set_exception(error)
    else:
        answer.set_result(table)


def _fetch(connection: Connection, driver: "neo4j.Driver", asked: Asked) -> Table:
    import neo4j

    limit, database = asked.limit, connection.place.database
    with (
        our_errors(connection.place),
        driver.session(database=database, default_access_mode=neo4j.READ_ACCESS, fetch_size=_most(limit)) as session,
    ):
        transaction = session.begin_transaction(timeout=asked.timeout)
        try:
            if connection.query_login.explains:
                _refuse_plan(transaction.run(f"EXPLAIN {_UNPROFILED.sub('', asked.text)}", asked.parameters).consume())
            result = transaction.run(asked.text, asked.parameters)
            columns = tuple(result.keys())
            rows = list(result) if limit is None else result.fetch(limit + 1)
            cut = limit is not None and len(rows) > limit
            if cut:
                driver.close()  # what is left is not fetched; the server rolls back what is not committed
            elif result.consume().counters.contains_updates:
                raise InputError("the query would write; a query may only read")
        finally:
            transaction.close()  # rolls back
        return Table(columns, tuple(tuple(_plain(value) for value in row.values()) for row in rows[:limit]), cut)


def _refuse_plan(summary: "neo4j.ResultSummary") -> None:
    """Raise InputError for a statement that the server takes for one that writes, or that reads files."""
    if summary.query_type != READS or LOADS in json.dumps(summary.plan or {}):
        raise InputError("the query would write, or read a file; a query may only read the graph")


def _most(limit: int | None) -> int:
    """Return the number of rows to fetch at once: no more than are needed."""
    return 1_000 if limit is None else min(limit + 1, 1_000)


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
    if isinstance(value, list):  # a point or a duration is a tuple, and says more than its numbers
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
