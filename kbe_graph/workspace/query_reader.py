"""What a graph answers to queries: those of one's own, in Cypher, and the named ones."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kbe_graph.store import Table
from kbe_graph.store.faults import StatementTimeout
from kbe_graph.workspace.graph_access import GraphAccess

if TYPE_CHECKING:
    import pandas as pd


class QueryReader(GraphAccess):
    """The part of a workspace that answers queries, and changes nothing."""

    def cypher(
        self,
        text: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float = 60,
        **more: Any,
    ) -> "pd.DataFrame":
        """Return what a Cypher query of your own finds: a query that would write is refused (InputError).

        Parameters are given by name, or in ``parameters``; ``limit`` cuts the rows; ``timeout`` is in seconds.

        >>> work.cypher("MATCH (q:Question {hop: $hop}) RETURN count(q) AS questions", hop=1)["questions"][0] > 0
        np.True_
        """
        values = {**(parameters or {}), **more}
        return _frame(self._answer(lambda: self.store.query_text(text, values, limit=limit, timeout=timeout)))

    def query(
        self, name: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, **more: Any
    ) -> "pd.DataFrame":
        """Return what a named statement finds; ``kbe query`` lists them. Raises InputError for an unknown one.

        >>> list(work.query("samples_by_status").columns)
        ['benchmark', 'split', 'status', 'samples']
        """
        return _frame(self._answer(lambda: self.store.query(name, {**(parameters or {}), **more}, limit=limit)))

    def _answer(self, ask: Callable[[], Table]) -> Table:
        """Return what a query finds; where it had to be ended, with its engine, the next use opens the graph anew."""
        try:
            return ask()
        except (StatementTimeout, KeyboardInterrupt):
            self._graph.close()
            raise


def _frame(table: Table) -> "pd.DataFrame":
    """Return a table as a frame, its columns of the types that fit, and missing cells as ``NA``."""
    import pandas as pd

    return pd.DataFrame(list(table.rows), columns=list(table.columns)).convert_dtypes()
