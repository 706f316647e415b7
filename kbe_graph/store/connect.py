"""Opening of the graph: on a Neo4j server if an address is given, otherwise on the embedded engine of a folder."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kbe_graph.errors import ConfigError
from kbe_graph.store.address import Address, Place
from kbe_graph.store.backup import Backups
from kbe_graph.store.connection import Connection, import_driver
from kbe_graph.store.drafts import StoredDrafts
from kbe_graph.store.engine import COMMAND_LIMIT, halt_engine, use_engine
from kbe_graph.store.engine_process import READER, reader_password
from kbe_graph.store.faults import our_errors
from kbe_graph.store.forget import Forgetting
from kbe_graph.store.funnel import StoredCounts
from kbe_graph.store.paths import PathSearch
from kbe_graph.store.questions import StoredQuestions
from kbe_graph.store.reviews import StoredReviews
from kbe_graph.store.schema import prepare
from kbe_graph.store.user_query import UserQueries
from kbe_graph.store.wiki_graph import StoredWiki

if TYPE_CHECKING:
    import neo4j

PATIENCE = 15.0
EMBEDDED_PATIENCE = 3.0
ARCADE = "ArcadeDB"  # the name by which the embedded engine identifies itself
_SILENT = logging.NullHandler()  # the driver's retries are not worth a log line in a program without logging


class Store(
    StoredCounts,
    StoredQuestions,
    StoredDrafts,
    StoredReviews,
    StoredWiki,
    Forgetting,
    PathSearch,
    UserQueries,
    Backups,
):
    """An open graph. Saving is idempotent; every method raises StoreError.

    The raw questions belong to the run ``raw``.
    """


@contextmanager
def open_store(
    directory: Path,
    address: Address | None = None,
    *,
    timeout: float = COMMAND_LIMIT,
    warm: float = 0,
    restoring: bool = False,
) -> Iterator[Store]:
    """Open the graph on a server, or on the embedded engine in ``directory``; close it on exit.

    ``timeout`` limits each statement on the embedded engine, in seconds; ``warm`` is how many seconds the engine waits
    for its next user. ``restoring`` skips the schema checks, for ``Store.restore``, even after an interrupted restore.
    Raises StoreError.
    """
    if address is not None:
        with connect(address) as connection:
            yield _ready(connection, restoring=restoring)
        return
    halt = partial(halt_engine, directory)
    with (
        use_engine(directory, timeout=timeout, warm=warm) as own,
        connect(own, patience=EMBEDDED_PATIENCE, engine=directory, halt=halt) as connection,
    ):
        yield _ready(connection, restoring=restoring)


def _ready(connection: Connection, *, restoring: bool) -> Store:
    if not restoring:
        prepare(connection)
    return Store(connection)


@contextmanager
def connect(
    address: Address,
    *,
    patience: float = PATIENCE,
    engine: Path | None = None,
    halt: Callable[[], None] | None = None,
) -> Iterator[Connection]:
    """Connect to a server without preparing its schema.

    ``patience`` is how many seconds to wait for a server that does not answer; ``engine`` is the folder of an embedded
    engine; ``halt`` ends a server that does not stop a statement. Raises StoreError, and ConfigError for an unusable
    address.
    """
    place = Place(address, engine)
    with _dial(place, patience) as driver:
        if ARCADE in driver.get_server_info().agent:
            address = replace(address, reader=READER, reader_password=reader_password(address.password))
        reader = place._replace(address=address.of_reader)
        yield Connection(driver, place, partial(_dial, reader, patience), halt)


def reopen(place: Place) -> Store:
    """Open the graph that another process keeps open, until this process ends; raises StoreError."""
    return Store(Connection(_dial(place, PATIENCE), place, partial(_dial, place, PATIENCE)))


def _dial(place: Place, patience: float) -> "neo4j.Driver":
    driver = _driver(place.address, patience)
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
            connection_acquisition_timeout=patience,
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
