"""Users' queries: named statements, and their own read-only Cypher.

The engine enforces this. On the embedded engine a query logs in as a read-only user. On Neo4j it logs in as such a user
if the settings name one; otherwise the statement is explained first, then run in a read transaction. The transaction is
always rolled back. Before anything is sent, a text is refused that calls procedures, or functions with a namespace,
that are not known to read (``refuse_writing``); so is a result whose counters report a write.
"""

import json
import re
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection
from kbe_graph.store.faults import StatementTimeout, WriteRefused, our_errors
from kbe_graph.store.message_size import refuse_large, refuse_unfit
from kbe_graph.store.statements import bind, query_statement

if TYPE_CHECKING:
    import neo4j

READS = "r"  # query type of a read-only statement
LOADS = "LoadCSV"  # operator of a plan that reads files
GRACE = 2.0  # seconds that a server with its own time limit has to report a timeout
WRITES = "the query would write, or read a file; a query may only read the graph"
FIRST = ("MATCH", "OPTIONAL", "UNWIND", "WITH", "CALL", "RETURN")
NAMESPACES = frozenset(
    "date datetime localdatetime localtime time duration point vector.similarity".split()  # noqa: SIM905
)
"""The namespaces of functions that access nothing but their arguments; functions without one come with the engine."""
PROCEDURES = frozenset(
    [
        "db.info",
        "db.labels",
        "db.propertykeys",
        "db.relationshiptypes",
        "db.schema.nodetypeproperties",
        "db.schema.reltypeproperties",
        "db.schema.visualization",
        "dbms.components",
    ]
)
_NOISE = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(`[^`]*`)|//[^\n\r]*|/\*.*?\*/", re.DOTALL)
_PROCEDURE = re.compile(r"(?<![.:$\w])CALL\s+(\w+(?:\s*\.\s*\w+)*)", re.IGNORECASE)
_FUNCTION = re.compile(r"(?:(\w+(?:\s*\.\s*\w+)*)\s*)?\.\s*\w+\s*\(")


class Table(NamedTuple):
    """Rows with their column names; ``cut`` means that there were more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool = False


class Asked(NamedTuple):
    """A query to send: text, parameters, row limit (None: all) and time limit in seconds (None: none)."""

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
    """Run a named query; its rows are cut at ``limit``, or else at its own parameter of that name."""
    statement = query_statement(name)
    values = bind(statement, parameters)
    if "limit" in values:
        given = "limit" in parameters or limit is None
        limit = min(values["limit"], limit or values["limit"]) if given else limit
        values["limit"] = (limit or 0) + 1  # one more, to detect whether there are more
    table = _ask(connection, Asked(statement.text, values, limit, timeout))
    return table._replace(
        columns=tuple(name for name, _ in statement.columns)
    )  # an engine may return no column names without rows


def query_text(
    connection: Connection, text: str, parameters: dict[str, Any], *, limit: int | None, timeout: float
) -> Table:
    """Run a user's own Cypher with limits on rows (None: all) and seconds; raises InputError if it could write."""
    refuse_large({"": text})
    return _ask(connection, Asked(refuse_writing(text), parameters, limit, timeout))


def refuse_writing(text: str) -> str:
    """Return the query without a trailing semicolon; raises InputError if it calls what is not known to read."""
    clean = text.strip().rstrip(";").strip()
    if "\\u" in clean.lower():
        raise InputError("the query is refused for '\\u': write the letter itself")
    plain = _NOISE.sub(lambda found: found[1] or " ", clean).replace("`", "").strip()
    if not plain.upper().startswith(FIRST):
        raise InputError(f"the query is refused for {plain[:20]!r}: begin with {', '.join(FIRST[:-1])} or {FIRST[-1]}")
    for found in _PROCEDURE.finditer(plain):
        _refuse_call(found[1], PROCEDURES)
    for found in _FUNCTION.finditer(_PROCEDURE.sub(" ", plain)):
        _refuse_call(found[1] or "", NAMESPACES, what=f"{found[0]}...)")
    return clean


def _refuse_call(name: str, allowed: frozenset[str], *, what: str = "") -> None:
    name = "".join(name.split()).lower()
    if name not in allowed:
        raise InputError(
            f"the query is refused for {what or f'CALL {name}'!r}: only functions and procedures that read may be "
            "called; docs/security.md lists them"
        )


def _ask(connection: Connection, asked: Asked) -> Table:
    """Run a query in a thread with a separate driver, so that a timeout or Ctrl+C can end it.

    Raises InputError if the query does not fit in a message.
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
    if connection.halt is not None:
        connection.halt()
    driver.close()


def _answer(connection: Connection, driver: "neo4j.Driver", asked: Asked, answer: Future[Table]) -> None:
    try:
        table = _fetch(connection, driver, asked)
    except WriteRefused:
        answer.set_exception(InputError(WRITES))
    except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits for the result
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
                _refuse_plan(transaction.run(f"EXPLAIN {asked.text}", asked.parameters).consume())
            result = transaction.run(asked.text, asked.parameters)
            columns = tuple(result.keys())
            rows = list(result) if limit is None else result.fetch(limit + 1)
            cut = limit is not None and len(rows) > limit
            if cut:
                driver.close()  # the remaining rows are not fetched; the server rolls back
            elif result.consume().counters.contains_updates:
                raise InputError(WRITES)
        finally:
            transaction.close()  # rolls back
        return Table(columns, tuple(tuple(_plain(value) for value in row.values()) for row in rows[:limit]), cut)


def _refuse_plan(summary: "neo4j.ResultSummary") -> None:
    if summary.query_type != READS or LOADS in json.dumps(summary.plan or {}):
        raise InputError(WRITES)


def _most(limit: int | None) -> int:
    return 1_000 if limit is None else min(limit + 1, 1_000)


def _plain(value: Any) -> Any:
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
    if isinstance(value, list):  # tuples stay: a point or a duration is a tuple with more information
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
