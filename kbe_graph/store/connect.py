"""Opening of the graph: on a Neo4j server if an address is given, otherwise on the embedded engine of a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from kbe_graph.store.address import Address, Place
from kbe_graph.store.backup import Backups
from kbe_graph.store.connection import PATIENCE, Connection, dial
from kbe_graph.store.edges import PathSearch
from kbe_graph.store.engine import use_engine
from kbe_graph.store.engine_process import READER, reader_password
from kbe_graph.store.funnel import StoredCounts
from kbe_graph.store.questions import StoredDrafts, StoredQuestions
from kbe_graph.store.reviews import StoredReviews
from kbe_graph.store.rounds import StoredRounds
from kbe_graph.store.samples import Forgetting
from kbe_graph.store.statements import prepare
from kbe_graph.store.user_query import UserQueries
from kbe_graph.store.versions import StoredReleases
from kbe_graph.store.wiki_graph import StoredWiki

ARCADE = "ArcadeDB"  # the name by which the embedded engine identifies itself


class Store(
    StoredCounts,
    StoredQuestions,
    StoredDrafts,
    StoredReviews,
    StoredReleases,
    StoredRounds,
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
    directory: Path, address: Address | None = None, *, warm: float = 0, restoring: bool = False
) -> Iterator[Store]:
    """Open the graph on a server, or on the embedded engine in ``directory``; close it on exit.

    ``warm`` is how many seconds the engine waits for its next user. ``restoring`` skips the schema checks, for
    ``Store.restore``, even after an interrupted restore. Raises StoreError.
    """
    if address is None:
        with use_engine(directory, warm=warm) as own, connect(own, engine=directory) as connection:
            yield _ready(connection, restoring=restoring)
    else:
        with connect(address) as connection:
            yield _ready(connection, restoring=restoring)


def _ready(connection: Connection, *, restoring: bool) -> Store:
    if not restoring:
        prepare(connection)
    return Store(connection)


@contextmanager
def connect(address: Address, *, patience: float = PATIENCE, engine: Path | None = None) -> Iterator[Connection]:
    """Connect to a server without preparing its schema.

    ``patience`` is how many seconds to wait for a server that does not answer; ``engine`` is the folder of an embedded
    engine. Raises StoreError, and ConfigError for an unusable address.
    """
    place = Place(address, engine)
    with dial(place, patience) as driver:
        if ARCADE in driver.get_server_info().agent:
            reader = replace(address, reader=READER, reader_password=reader_password(address.password))
            place = place._replace(address=reader)
        yield Connection(driver, place)


def reopen(place: Place) -> Store:
    """Open the graph that another process keeps open, until this process ends; raises StoreError."""
    return Store(Connection(dial(place), place))
