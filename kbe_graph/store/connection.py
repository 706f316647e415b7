"""The one way into the graph: the official driver over Bolt, for every engine."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from kbe_graph.errors import StoreError
from kbe_graph.files.resources import statement
from kbe_graph.store.faults import Place, again_if_clock_was_set, our_errors
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
    """Runs the statements of ``cypher/`` within one transaction."""

    inner: "neo4j.ManagedTransaction | neo4j.Transaction"

    def run(self, name: str, **parameters: Any) -> list[Row]:
        """Run the statement ``name`` and return its rows."""
        return self.run_text(statement(name), parameters)

    def run_text(self, text: str, parameters: dict[str, Any] | None = None) -> list[Row]:
        """Run a text that comes from a statement file, and return its rows; InputError if it takes too large values."""
        refuse_large(parameters or {})
        return self._run(text, parameters or {})

    def _run(self, text: str, parameters: dict[str, Any]) -> list[Row]:
        result = self.inner.run(text, parameters)
        columns = result.keys()
        return [dict(zip(columns, record.values(), strict=True)) for record in result]

    def save(self, name: str, rows: list[Row]) -> None:
        """Run a statement that writes rows, in as many messages as they need; InputError for a row that fits none."""
        for part in parts(rows):
            self._run(statement(name), {"rows": part})

    def save_all(self, rows: Mapping[str, list[Row]]) -> None:
        """Save rows by the statement that writes them, in order; InputError as ``save``."""
        for name, own in rows.items():
            self.save(name, own)


class QueryLogin(NamedTuple):
    """How a user's query logs in: ``dial`` gives a driver that may only read, where the server has such users.

    Where it has none, ``explains`` is set: EXPLAIN tells of a statement whether it writes, and a transaction for
    reading is held to it.
    """

    dial: "Callable[[], neo4j.Driver]"
    explains: bool


@dataclass(frozen=True, slots=True)
class Connection:
    """A driver with the database it works on; every error it gives is a StoreError.

    ``dial`` gives another driver to the same place, ``query_login`` one for queries; ``halt`` ends an engine that
    cannot be told to stop a statement (None: the server stops it when the connection is closed).
    Where ``read_only`` says why nothing can be written, writing raises it.
    """

    driver: "neo4j.Driver"
    place: Place
    dial: "Callable[[], neo4j.Driver]"
    query_login: QueryLogin
    halt: Callable[[], None] | None = None
    read_only: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the way to make one in another process: by dialling again."""
        return _dialled, (self.place, self.dial, self.query_login, self.halt, self.read_only)

    @property
    def is_shared(self) -> bool:
        """Whether the graph is on a server, which other machines write to as well."""
        return self.place.workspace is None

    def read(self, name: str, *, timeout: float | None = None, **parameters: Any) -> list[Row]:
        """Run one statement that reads, and return its rows; ``timeout`` in seconds."""
        return self._work(lambda transaction: transaction.run(name, **parameters), write=False, timeout=timeout)

    def stream(self, name: str) -> Iterator[Row]:
        """Run one statement that reads, and give its rows as they come: a whole graph need not fit in memory."""
        with self.session() as session, session.begin_transaction() as inner:
            for record in inner.run(statement(name)):
                yield dict(record)

    def read_text(self, text: str, *, timeout: float | None = None, **parameters: Any) -> list[Row]:
        """Run one reading text that comes from a statement file."""
        return self._work(lambda transaction: transaction.run_text(text, parameters), write=False, timeout=timeout)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Do the work in one transaction, again where the driver says that trying again helps; all of it or nothing."""
        if self.read_only:
            raise StoreError(self.read_only)
        return self._work(work, write=True)

    def save(self, rows: Mapping[str, list[Row]]) -> None:
        """Save rows by the statement that writes them, in one transaction."""
        self.write(lambda transaction: transaction.save_all(rows))

    def alone(self, text: str) -> None:
        """Run a schema command, which needs a transaction of its own."""
        self.write(lambda transaction: transaction.run_text(text))

    def _work(self, work: Callable[[Transaction], T], *, write: bool, timeout: float | None = None) -> T:
        import neo4j

        @neo4j.unit_of_work(timeout=timeout)
        def inside(inner: "neo4j.ManagedTransaction") -> T:
            """Do the work in a transaction of ours."""
            return work(Transaction(inner))

        def attempt() -> T:
            """Do the work in a session of its own."""
            with self.session(write=write) as session:
                return session.execute_write(inside) if write else session.execute_read(inside)

        return again_if_clock_was_set(attempt)

    @contextmanager
    def session(self, *, write: bool = False) -> Iterator["neo4j.Session"]:
        """Give a session, whose errors are ours."""
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
    read_only: str,
) -> Connection:
    import_driver(is_ours=True)
    return Connection(dial(), place, dial, query_login, halt, read_only)


def import_driver(*, is_ours: bool = False) -> None:
    """Import Neo4j's driver; in a process of ours, a command or a worker, without the libraries of tables.

    They take half of a cold command. In a program of somebody else the driver is imported as it comes, since that
    program may use it too.
    """
    if "neo4j" in sys.modules or not (is_ours or COMMAND in sys.modules):
        return
    hidden = [name for name in TABLES if name not in sys.modules]
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    modules.update(dict.fromkeys(hidden))  # None: the import of such a module fails, as if it were not there
    try:
        import_module("neo4j")
    finally:
        for name in hidden:
            del sys.modules[name]


def batches(items: Sequence[T], size: int) -> Iterator[list[T]]:
    """Give the items in lists of at most ``size``."""
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


@contextmanager
def saving_behind(save: Callable[P, None]) -> Iterator[Callable[P, None]]:
    """Give a function that saves a batch in a thread while the next one is made; they are saved one after the other.

    An error of a save is raised at the next one or at the end.
    """
    saving: Future[None] | None = None
    with ThreadPoolExecutor(1, thread_name_prefix="kbe-save") as writer:

        def save_next(*batch: P.args, **named: P.kwargs) -> None:
            """Wait for the batch before, which raises its error, then save this one behind."""
            nonlocal saving
            if saving:
                saving.result()
            saving = writer.submit(save, *batch, **named)

        yield save_next
        if saving:
            saving.result()
