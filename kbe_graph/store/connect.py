"""Opening of the graph: on a Neo4j server if an address is given, otherwise on the embedded engine of a folder."""

import logging
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kbe_graph.errors import ConfigError, KbeWarning, StoreError
from kbe_graph.folder import HIDDEN
from kbe_graph.secret import Secrets
from kbe_graph.store.address import Address
from kbe_graph.store.connection import Connection, QueryLogin, import_driver
from kbe_graph.store.embedded import COMMAND_LIMIT
from kbe_graph.store.engine_files import LOG
from kbe_graph.store.engine_process import PASSWORD_FILE, READER, reader_password
from kbe_graph.store.engine_use import engine_folder, halt_engine, use_engine
from kbe_graph.store.faults import Place, our_errors
from kbe_graph.store.schema import prepare
from kbe_graph.store.store import Store

if TYPE_CHECKING:
    import neo4j

PATIENCE = 15.0
EMBEDDED_PATIENCE = 3.0
LOCKED = "Neo.ClientError.Security.AuthenticationRateLimit"
UNAUTHORIZED = "Neo.ClientError.Security.Unauthorized"
LONGEST = 40.0  # seconds: the embedded engine locks a user out for 30 s, Neo4j for 5 s by default
PAUSE = 1.0  # seconds between two attempts
ARCADE = "ArcadeDB"  # the name by which the embedded engine identifies itself
SCHEMES = ("bolt://", "bolt+s://", "bolt+ssc://", "neo4j://", "neo4j+s://", "neo4j+ssc://")
_SILENT = logging.NullHandler()  # the driver's retries are not worth a log line in a program without logging


@contextmanager
def open_store(
    directory: Path,
    address: Address | None = None,
    *,
    timeout: float = COMMAND_LIMIT,
    warm: float = 0,
    long_work: bool = False,
    restoring: bool = False,
) -> Iterator[Store]:
    """Open the graph on a server, or on the embedded engine in ``directory``; close it on exit.

    ``timeout`` limits each statement on the embedded engine, in seconds; ``warm`` is how many seconds the engine waits
    for its next user. ``long_work`` lets Java optimise further, which costs about ten seconds of CPU time and pays off
    for thousands of samples. ``restoring`` skips the schema checks, for ``Store.restore``, even after an interrupted
    restore. If the folder is not writable, a copy of the graph is opened with a warning, and every save raises
    StoreError. Raises StoreError.
    """
    if address is not None:
        with connect(address) as connection:
            yield _ready(connection, restoring=restoring)
        return
    with (
        engine_folder(directory) as folder,
        use_engine(folder.path, timeout=timeout, warm=0 if folder.read_only else warm, long_work=long_work) as own,
        connect(
            own,
            patience=EMBEDDED_PATIENCE,
            place=_place(own, directory, folder.path),
            halt=partial(halt_engine, folder.path),
        ) as ours,
    ):
        if restoring and folder.read_only:
            raise StoreError(folder.read_only)
        store = _ready(ours, restoring=restoring)
        yield Store(replace(store.connection, read_only=folder.read_only))


def _place(address: Address, directory: Path, engine: Path) -> Place:
    workspace = directory.parent if directory.name == HIDDEN else directory
    return Place(address.uri, address.username, address.database, f"see {str(engine / LOG)!r}", workspace, engine)


def _ready(connection: Connection, *, restoring: bool) -> Store:
    if not restoring:
        prepare(connection)
    return Store(connection)


@contextmanager
def connect(
    address: Address,
    *,
    patience: float = PATIENCE,
    place: Place | None = None,
    halt: Callable[[], None] | None = None,
) -> Iterator[Connection]:
    """Connect to a server without preparing its schema.

    ``patience`` is how many seconds to wait for a server that does not answer; ``place`` names the server in errors
    (default: by its address); ``halt`` ends a server that does not stop a statement. Raises StoreError, and ConfigError
    for an unusable address.
    """
    place = place or Place(address.uri, address.username, address.database)
    place = place._replace(secrets=Secrets((address.password,)))
    import_driver()  # before any other import of a part of the driver
    with _address_errors(address):
        if not address.uri.startswith(SCHEMES):
            raise ValueError("a server is reached over Bolt")
        _ = urlsplit(address.uri).port  # raises ValueError for a bad port, which the driver would take modulo 65536
    dial = partial(_dial, address, place, patience)
    with dial() as driver:
        yield Connection(driver, place, dial, _query_login(driver, address, place, patience), halt)


def _query_login(driver: "neo4j.Driver", address: Address, place: Place, patience: float) -> QueryLogin:
    """Return the login for queries: on any embedded engine, including another workspace's, its read-only user."""
    is_neo4j = ARCADE not in driver.get_server_info().agent
    if not is_neo4j:
        address = replace(address, reader=READER, reader_password=reader_password(address.password))
    address = address.of_reader
    place = place._replace(user=address.username, secrets=Secrets((address.password,)))
    return QueryLogin(partial(_dial, address, place, patience), explains=is_neo4j)


def _dial(address: Address, place: Place, patience: float) -> "neo4j.Driver":
    """Return a logged-in driver; raises StoreError, and ConfigError for an unusable address."""
    import_driver()
    with _address_errors(address):
        driver = _driver(address, patience)
    with our_errors(place):
        _log_in(driver, place, address.password)
    return driver


def _driver(address: Address, patience: float) -> "neo4j.Driver":
    import neo4j

    logging.getLogger("neo4j").addHandler(_SILENT)
    return neo4j.GraphDatabase.driver(
        address.uri,
        auth=(address.username, address.password),
        connection_timeout=patience,
        connection_acquisition_timeout=patience,
        max_transaction_retry_time=patience,
        notifications_min_severity="OFF",
        user_agent="kbe-graph",
    )


@contextmanager
def _address_errors(address: Address) -> Iterator[None]:
    from neo4j.exceptions import ConfigurationError

    try:
        yield
    except (ValueError, ConfigurationError) as error:
        said = str(error).partition("\n")[0].rstrip(".")
        raise ConfigError(
            f"the graph's address {address.uri!r} cannot be used ({said}); write one such as neo4j://host:7687"
        ) from None


def _log_in(driver: "neo4j.Driver", place: Place, password: str) -> None:
    """Log in, or close the driver and raise its error.

    Anyone on the machine can lock a user out by giving wrong passwords, so a lockout is retried for up to 40 seconds,
    with one warning.
    """
    from neo4j.exceptions import Neo4jError

    end, is_told = time.monotonic() + LONGEST, False
    with ExitStack() as stack:
        stack.callback(driver.close)
        while True:
            try:
                driver.verify_connectivity()
            except Neo4jError as error:
                if time.monotonic() > end or not _is_locked_out(error.code or "", place, password):
                    raise
            else:
                stack.pop_all()
                return
            if not is_told:
                is_told = True
                warnings.warn(
                    f"{place.server} locks user {place.user!r} out for some seconds after wrong passwords; "
                    "waiting for the lock to end",
                    KbeWarning,
                    stacklevel=2,
                )
            time.sleep(PAUSE)


def _is_locked_out(code: str, place: Place, password: str) -> bool:
    """Return True if a correct password is refused: during a lockout the embedded engine calls every password wrong."""
    if code.startswith(LOCKED):
        return True
    return code.startswith(UNAUTHORIZED) and place.engine is not None and password in _current_passwords(place)


def _current_passwords(place: Place) -> tuple[str, ...]:
    with suppress(OSError):
        if place.engine is not None:
            password = (place.engine / PASSWORD_FILE).read_text(encoding="utf-8")
            return password, reader_password(password)
    return ()
