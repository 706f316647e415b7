"""Access to the graph, on every engine, through the official driver over Bolt."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from kbe_graph.files.resources import statement
from kbe_graph.store.faults import Place, our_errors
from kbe_graph.store.message_size import parts, refuse_large
from kbe_graph.store.row_check import Row

if TYPE_CHECKING:
    import neo4j

T = TypeVar("T")
P = ParamSpec("P")
TABLES = ("numpy", "pandas", "pyarrow")
COMMAND = "kbe_graph.cli.main"


@dataclass(frozen=True, slots=True)
class Transaction:
    """One transaction, which runs the statements of ``cypher/``."""

    inner: "neo4j.ManagedTransaction | neo4j.Transaction"

    def run(self, name: str, **parameters: Any) -> list[Row]:
        """Run the statement ``name`` and return its rows."""
        return self.run_text(statement(name), parameters)

    def run_text(self, text: str, parameters: dict[str, Any] | None = None) -> list[Row]:
        """Run the text of a statement file and return its rows; raises InputError if the parameters are too large."""
        refuse_large(parameters or {})
        return self._run(text, parameters or {})

    def _run(self, text: str, parameters: dict[str, Any]) -> list[Row]:
        result = self.inner.run(text, parameters)
        columns = result.keys()
        return [dict(zip(columns, record.values(), strict=True)) for record in result]

    def save(self, name: str, rows: list[Row]) -> None:
        """Run a statement that writes rows, in as many messages as needed; raises InputError if a row fits in none."""
        for part in parts(rows):
            self._run(statement(name), {"rows": part})

    def save_all(self, rows: Mapping[str, list[Row]]) -> None:
        """Save rows, keyed by the statement that writes them, in order; raises InputError as ``save`` does."""
        for name, own in rows.items():
            self.save(name, own)


class QueryLogin(NamedTuple):
    """The login for users' queries: ``dial`` returns a driver with read-only rights if the server has a user for that.

    Otherwise ``explains`` is set: EXPLAIN reveals whether a statement writes, and the server enforces read
    transactions.
    """

    dial: "Callable[[], neo4j.Driver]"
    explains: bool


@dataclass(frozen=True, slots=True)
class Connection:
    """A driver and its database; all errors are raised as StoreError.

    ``dial`` returns another driver for the same server, ``query_login`` one for queries. ``halt`` ends an engine that
    cannot stop a statement (None: the server stops it when the connection closes).
    """

    driver: "neo4j.Driver"
    place: Place
    dial: "Callable[[], neo4j.Driver]"
    query_login: QueryLogin
    halt: Callable[[], None] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling: another process dials again."""
        return _dialled, (self.place, self.dial, self.query_login, self.halt)

    def read(self, name: str, *, timeout: float | None = None, **parameters: Any) -> list[Row]:
        """Run a read statement and return its rows; ``timeout`` is in seconds."""
        return self._work(lambda transaction: transaction.run(name, **parameters), write=False, timeout=timeout)

    def stream(self, name: str) -> Iterator[Row]:
        """Run a read statement and yield its rows as they arrive, so that a whole graph need not fit in memory."""
        with self.session() as session, session.begin_transaction() as inner:
            for record in inner.run(statement(name)):
                yield dict(record)

    def read_text(self, text: str, *, timeout: float | None = None, **parameters: Any) -> list[Row]:
        """Run the text of a read statement and return its rows."""
        return self._work(lambda transaction: transaction.run_text(text, parameters), write=False, timeout=timeout)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction, which commits fully or not at all; retried if the driver advises it."""
        return self._work(work, write=True)

    def save(self, rows: Mapping[str, list[Row]]) -> None:
        """Save rows, keyed by the statement that writes them, in one transaction."""
        self.write(lambda transaction: transaction.save_all(rows))

    def alone(self, text: str) -> None:
        """Run a schema command, which needs a separate transaction."""
        self.write(lambda transaction: transaction.run_text(text))

    def _work(self, work: Callable[[Transaction], T], *, write: bool, timeout: float | None = None) -> T:
        import neo4j

        @neo4j.unit_of_work(timeout=timeout)
        def inside(inner: "neo4j.ManagedTransaction") -> T:
            return work(Transaction(inner))

        with self.session(write=write) as session:
            return session.execute_write(inside) if write else session.execute_read(inside)

    @contextmanager
    def session(self, *, write: bool = False) -> Iterator["neo4j.Session"]:
        """Open a session that raises StoreError for the driver's errors."""
        import neo4j

        mode = neo4j.WRITE_ACCESS if write else neo4j.READ_ACCESS
        with (
            our_errors(self.place),
            self.driver.session(database=self.place.database, default_access_mode=mode) as session,
        ):
            yield session


def _dialled(
    place: Place,
    dial: "Callable[[], neo4j.Driver]",
    query_login: QueryLogin,
    halt: Callable[[], None] | None,
) -> Connection:
    import_driver(is_ours=True)
    return Connection(dial(), place, dial, query_login, halt)


def import_driver(*, is_ours: bool = False) -> None:
    """Import Neo4j's driver; in kbe's own processes (commands and workers), without the table libraries.

    Those take half of the time of a cold command. In other programs the driver is imported unchanged, since they may
    use it too.
    """
    if "neo4j" in sys.modules or not (is_ours or COMMAND in sys.modules):
        return
    hidden = [name for name in TABLES if name not in sys.modules]
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    modules.update(dict.fromkeys(hidden))  # None makes the import of a module fail as if it were not installed
    try:
        import_module("neo4j")
    finally:
        for name in hidden:
            del sys.modules[name]


def batches(items: Sequence[T], size: int) -> Iterator[list[T]]:
    """Yield ``items`` in lists of at most ``size``."""
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


@contextmanager
def saving_behind(save: Callable[P, None]) -> Iterator[Callable[P, None]]:
    """Yield a function that saves a batch in a background thread, one batch at a time, while the next one is prepared.

    The error of a save is raised by the next call or on exit.
    """
    saving: Future[None] | None = None
    with ThreadPoolExecutor(1, thread_name_prefix="kbe-save") as writer:

        def save_next(*batch: P.args, **named: P.kwargs) -> None:
            nonlocal saving
            if saving:
                saving.result()
            saving = writer.submit(save, *batch, **named)

        yield save_next
        if saving:
            saving.result()
