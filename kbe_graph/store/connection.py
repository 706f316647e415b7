"""Access to the graph, on every engine, through the official driver over Bolt."""

import logging
import marshal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from kbe_graph.errors import ConfigError, InputError, StoreError
from kbe_graph.files.resources import statement
from kbe_graph.secret import Secrets
from kbe_graph.store.address import Address, Place
from kbe_graph.store.engine import FULL, LOG, halt_engine, has_full_disk
from kbe_graph.store.nodes import Row

if TYPE_CHECKING:
    import neo4j

T = TypeVar("T")
TABLES = ("numpy", "pandas", "pyarrow")
COMMAND = "kbe_graph.cli.main"
PATIENCE = 15.0
EMBEDDED_PATIENCE = 3.0
READ = 2_000  # ids per message
MOST, PART = 15 << 20, 4 << 20  # bytes of a message: the embedded engine accepts 16 MiB, and hangs on a larger one
_SILENT = logging.NullHandler()  # the driver's retries are not worth a log line in a program without logging
PLAIN = 2  # the last version of marshal's format that writes repeated values in full


@dataclass(frozen=True, slots=True)
class Transaction:
    """One transaction, which runs the statements of ``cypher/``."""

    inner: "neo4j.ManagedTransaction | neo4j.Transaction"

    def run(self, name: str, **parameters: Any) -> list[Row]:
        """Run the statement ``name`` and return its rows."""
        return self.run_text(statement(name), parameters)

    def run_text(self, text: str, parameters: dict[str, Any] | None = None) -> list[Row]:
        """Run the text of a statement file and return its rows; raises InputError if the parameters are too large."""
        refuse_large("a request to the graph", parameters or {})
        result = self.inner.run(text, parameters)
        records = list(result)
        return [dict(zip(result.keys(), record.values(), strict=True)) for record in records]

    def save(self, name: str, rows: list[Row]) -> None:
        """Run a statement that writes rows, in as many messages as needed; raises InputError if a row fits in none."""
        for part in batches_by(rows, _size, PART):
            self.inner.run(statement(name), {"rows": part}).consume()

    def save_all(self, rows: Mapping[str, list[Row]]) -> None:
        """Save rows, keyed by the statement that writes them, in order; raises InputError as ``save`` does."""
        for name, own in rows.items():
            self.save(name, own)


@dataclass(frozen=True, slots=True)
class Connection:
    """A driver and the server that it reaches; all errors are raised as StoreError."""

    driver: "neo4j.Driver"
    place: Place

    def dial_reader(self) -> "neo4j.Driver":
        """Open another driver for the same server, with the login of users' queries."""
        return dial(self.place._replace(address=self.place.address.of_reader))

    def halt(self) -> None:
        """Kill an embedded engine, which cannot stop a statement; a server stops it when the connection closes."""
        if self.place.engine:
            halt_engine(self.place.engine)

    def read(self, name: str, *, timeout: float | None = None, **parameters: Any) -> list[Row]:
        """Run a read statement and return its rows; ``timeout`` is in seconds."""
        return self._work(lambda transaction: transaction.run(name, **parameters), write=False, timeout=timeout)

    def read_by_ids(
        self, name: str, ids: Iterable[str], *, parameter: str = "ids", most: int = READ, **values: Any
    ) -> list[Row]:
        """Run a read statement on ids, sorted, ``most`` in a message, and return its rows."""
        unique = batches(sorted(set(ids)), most)
        asked: Iterator[dict[str, Any]] = ({parameter: batch, **values} for batch in unique)
        return [row for parameters in asked for row in self.read(name, **parameters)]

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

    def run(self, name: str, **parameters: Any) -> list[Row]:
        """Run a statement that writes, and return its rows."""
        return self.write(lambda transaction: transaction.run(name, **parameters))

    def run_until_done(self, name: str, **parameters: Any) -> None:
        """Run a statement that deletes some nodes, in one transaction each, until its ``count`` is 0."""
        while self.run(name, **parameters)[0]["count"]:
            pass

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
            self.driver.session(database=self.place.address.database, default_access_mode=mode) as session,
        ):
            yield session


@dataclass(frozen=True)
class Stored:
    """A part of the open graph: methods that read and write one kind of values."""

    connection: Connection


def dial(place: Place, patience: float = PATIENCE) -> "neo4j.Driver":
    """Connect to a server, waiting ``patience`` seconds for one that does not answer.

    Raises StoreError, and ConfigError for an unusable address.
    """
    driver = _driver(place.address, EMBEDDED_PATIENCE if place.engine else patience)
    try:
        with our_errors(place):
            driver.verify_connectivity()
    except BaseException:
        driver.close()
        raise
    return driver


def _driver(address: Address, patience: float) -> "neo4j.Driver":
    import_driver()
    import neo4j
    from neo4j.exceptions import ConfigurationError

    logging.getLogger("neo4j").addHandler(_SILENT)
    try:
        _require_bolt(address.uri)
        _ = urlsplit(address.uri).port  # raises ValueError for a bad port, which the driver would take modulo 65536
        return neo4j.GraphDatabase.driver(
            address.uri,
            auth=(address.username, address.password),
            connection_timeout=patience,
            connection_acquisition_timeout=2 * patience,  # a busy server takes long to greet a further connection
            max_transaction_retry_time=patience,
            notifications_min_severity="OFF",
            user_agent="kbe-graph",
        )
    except (ValueError, ConfigurationError) as error:
        problem = str(error).partition("\n")[0].rstrip(".")
        raise ConfigError(
            f"the graph's address {address.uri!r} cannot be used ({problem}); write one such as neo4j://host:7687"
        ) from None


def _require_bolt(uri: str) -> None:
    if uri.startswith("http"):
        raise ValueError("a server is reached over Bolt")


def import_driver() -> None:
    """Import Neo4j's driver; in kbe's own commands without the libraries of tables, a third of a short command's time.

    In other programs the driver is imported as it comes, because they may use these too.
    """
    if "neo4j" in sys.modules or COMMAND not in sys.modules:
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


def refuse_large(what: str, value: Any) -> int:
    """Return the size of a value in a message, in bytes; raises InputError if no message can hold it.

    Serialising with marshal is many times faster than counting here, and its size is an upper bound: equal for text,
    numbers and lists, and at most three bytes too small for a mapping of 65,536 names.
    """
    try:
        size = len(marshal.dumps(value, PLAIN))
    except ValueError:  # not a plain value, for example a date
        size = len(repr(value).encode(errors="surrogatepass"))
    if size > MOST:
        raise InputError(f"{what} has {size / 2**20:.1f} MiB, and the limit is {MOST >> 20} MiB; give less at once")
    return size


def batches_by(
    items: Iterable[T], weight: Callable[[T], int], most: int, count: int | None = None
) -> Iterator[list[T]]:
    """Yield ``items`` in lists of at most ``most`` in weight, or of one item, and of at most ``count`` items."""
    batch: list[T] = []
    filled = 0
    for item in items:
        more = weight(item)
        if batch and (filled + more > most or len(batch) == count):
            yield batch
            batch, filled = [], 0
        batch.append(item)
        filled += more
    if batch:
        yield batch


def _size(row: Row) -> int:
    return refuse_large(repr(str(row.get("id") or row.get("subject") or "a row"))[:200], row)


FORBIDDEN = ("Neo.ClientError.Security.Forbidden", "Neo.ClientError.Statement.AccessMode")
TWICE = ("Neo.ClientError.Schema.ConstraintValidationFailed", "Neo.DatabaseError.Schema.ConstraintCreationFailed")
DAMAGE = ("CHECK DATABASE", "Cannot find record type", "is corrupted")
NEEDED_ADDRESS = (
    "start the server, or check its Bolt port (7687 unless it was changed) and its kind: bolt:// or neo4j:// without "
    "encryption, +s with, +ssc with a self-signed certificate"
)


class DuplicateKey(StoreError):
    """A node or an index that must be unique exists twice."""


class StatementTimeout(StoreError):
    """A statement exceeded its time limit."""


class WriteRefused(StoreError):
    """The user of the server may not do what a statement does."""


def damaged(place: Place, what: str) -> StoreError:
    """Build the error for a graph that lost data."""
    return StoreError(
        f"{place.graph} is damaged: {what}; restore a backup into a new workspace, or here with `restore` and `replace`"
    )


@contextmanager
def our_errors(place: Place) -> Iterator[None]:
    """Raise the driver's errors as StoreError; ``retryable`` is what the driver says."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        yield
    except (Neo4jError, DriverError) as error:
        complaint = str((error.message or "") if isinstance(error, Neo4jError) else error)
        complaint = Secrets((place.address.password,)).hide(complaint).strip() or "no reason given"
        complaint = complaint.splitlines()[0][:300].rstrip(".:")
        if complaint.startswith("Record contains broken data"):
            message = f"{place.graph} found a value that cannot be read ({complaint}); return it as toString(...)"
            raise StoreError(message) from None
        fault = _fault(place, getattr(error, "code", None), complaint)
        fault.retryable = error.is_retryable()
        raise fault from None
    except RecursionError:
        raise StoreError(f"{place.graph} found a value that is nested too deep; ask for a part of it") from None


def _fault(place: Place, code: str | None, complaint: str) -> StoreError:
    if any(sign in complaint.lower() for sign in FULL) or (place.engine and has_full_disk(place.engine)):
        return StoreError(f"the disk of {place.graph} is full; make room, then run the same command again to continue")
    if code is None:  # of the driver
        help_ = f"see {str(place.engine / LOG)!r}" if place.engine else NEEDED_ADDRESS
        return StoreError(
            f"cannot reach {place.graph} (or read its answer: {complaint}); {help_}; then run the same command again "
            "to continue"
        )
    if any(sign in complaint for sign in DAMAGE):
        return damaged(place, f"its files cannot be read ({complaint})")
    if "TransactionTimedOut" in code or "timed out" in complaint.lower() or "timeout" in complaint.lower():
        return StatementTimeout(
            f"a statement took longer than its time limit on {place.graph}; ask for less, or raise the limit"
        )
    if code in TWICE:
        return DuplicateKey(
            f"another process is writing to {place.graph}, or it contains other data ({complaint}); let only one "
            "process write at a time"
        )
    return _refusal(place, code, complaint)


def _refusal(place: Place, code: str, complaint: str) -> StoreError:
    if code.startswith(FORBIDDEN):
        return WriteRefused(f"{place.graph} does not let user {place.address.username!r} do this ({complaint})")
    if code.startswith("Neo.ClientError.Security"):
        return StoreError(
            f"{place.graph} refuses user {place.address.username!r} ({complaint}); set NEO4J_USERNAME and "
            "NEO4J_PASSWORD"
        )
    if code.startswith("Neo.ClientError.Database.DatabaseNotFound"):
        return StoreError(f"{place.graph} has no database {place.address.database!r}; set NEO4J_DATABASE")
    return StoreError(f"{place.graph} rejects the statement: {complaint}")
