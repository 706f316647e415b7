"""Users' queries: named statements, and their own read-only Cypher.

The engine enforces this: a query logs in as the read-only user, if there is one, runs in a read transaction, and is
always rolled back.
"""

import math
import time
from collections.abc import Mapping
from contextlib import closing
from threading import Timer
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.errors import InputError, StoreError
from kbe_graph.store.connection import StatementTimeout, Stored, WriteRefused, our_errors, refuse_large
from kbe_graph.store.statements import bind, query_statement

if TYPE_CHECKING:
    import neo4j

WRITES = "the query would write; a query may only read the graph"
FETCHED = 1_000  # rows at once


class Table(NamedTuple):
    """Rows with their column names; ``cut`` means that there were more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool = False


class UserQueries(Stored):
    """Users' queries."""

    def query(
        self,
        name: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run a named query; its rows are cut at ``limit``, or else at its own parameter of that name.

        Raises InputError for an unknown name or parameter.
        """
        statement, parameters = query_statement(name), dict(parameters or {})
        values = bind(statement, parameters)
        if "limit" in values:
            given = "limit" in parameters or limit is None
            limit = min(values["limit"], limit or values["limit"]) if given else limit
            values["limit"] = (limit or 0) + 1  # one more, to detect whether there are more
        table = self.query_text(statement.text, values, limit=limit, timeout=timeout)
        return table._replace(
            columns=tuple(name for name, _ in statement.columns)
        )  # an engine may return no column names without rows

    def query_text(
        self,
        text: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = 1_000,
        timeout: float | None = 60,
    ) -> Table:
        """Run a user's own Cypher, read-only, with limits on rows (None: all) and seconds (None: no limit).

        Raises InputError if it would write, or holds what no message can; StatementTimeout.
        """
        parameters = dict(parameters or {})
        refuse_large("the query", [text, parameters])
        end = time.monotonic() + (timeout or math.inf)
        alarm = Timer(timeout or 0, self.connection.halt)
        with closing(self.connection.dial_reader()) as driver:
            if self.connection.place.engine and timeout:
                alarm.start()
            try:
                return self._fetch(driver, text.strip().rstrip(";"), parameters, limit, timeout)
            except WriteRefused:
                raise InputError(WRITES) from None
            except StoreError:
                if time.monotonic() < end:
                    raise
                raise StatementTimeout(
                    f"the query took longer than its limit of {timeout:g} seconds; ask for less, or raise the limit"
                ) from None
            except (OverflowError, RecursionError, TypeError, ValueError) as error:
                raise InputError(f"a query or a parameter cannot be sent ({error}); give it as text") from None
            finally:
                alarm.cancel()
                if alarm.is_alive():
                    alarm.join()

    def _fetch(
        self, driver: "neo4j.Driver", text: str, parameters: dict[str, Any], limit: int | None, timeout: float | None
    ) -> Table:
        import neo4j

        most = None if limit is None else limit + 1
        fetch_size = FETCHED if most is None else min(most, FETCHED)
        place = self.connection.place
        with (
            our_errors(place),
            driver.session(
                database=place.address.database, default_access_mode=neo4j.READ_ACCESS, fetch_size=fetch_size
            ) as session,
        ):
            transaction = session.begin_transaction(timeout=timeout)
            try:
                result = transaction.run(text, parameters)
                columns = tuple(result.keys())
                rows = list(result) if most is None else result.fetch(most)
                cut = most is not None and len(rows) == most
                if not cut and result.consume().counters.contains_updates:
                    raise InputError(WRITES)
            except (KeyboardInterrupt, SystemExit):
                self.connection.halt()  # before the session waits for the statement
                raise
            if cut:
                driver.close()  # the remaining rows are not fetched
            transaction.close()  # rolls back
            return Table(columns, tuple(tuple(map(_plain, row.values())) for row in rows[:limit]), cut)


def _plain(value: Any) -> Any:
    from neo4j.graph import Node, Path, Relationship

    if isinstance(value, Node):
        return {"labels": sorted(value.labels), **dict(value.items())}
    if isinstance(value, Relationship):
        return {"type": value.type, **dict(value.items())}
    if isinstance(value, Path):
        pairs = zip(value.nodes, (*value.relationships, None), strict=True)
        return [_plain(part) for pair in pairs for part in pair if part is not None]
    if isinstance(value, list):  # tuples stay: a point or a duration is a tuple with more information
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
