"""Translation of the driver's and the server's errors to StoreError."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import StoreError
from kbe_graph.secret import Secrets
from kbe_graph.store.engine import FULL, has_full_disk

AGAIN = "run the same command again to continue"
TIMEOUTS = ("timed out", "timeout")
FORBIDDEN = ("Neo.ClientError.Security.Forbidden", "Neo.ClientError.Statement.AccessMode")
TWICE = ("Neo.ClientError.Schema.ConstraintValidationFailed", "Neo.DatabaseError.Schema.ConstraintCreationFailed")
DAMAGE = ("CHECK DATABASE", "Cannot find record type", "is corrupted")
UNKNOWN = ("unknown function", "unknown procedure")  # errors that the embedded engine reports as internal ones
NEEDED_ADDRESS = (
    "check its Bolt port (7687 unless it was changed) and its kind: bolt:// or neo4j:// without encryption, +s with, "
    "+ssc with a self-signed certificate"
)


class Place(NamedTuple):
    """The server as named in error messages, and the ``secrets`` to remove from them.

    For the embedded engine, messages name the ``workspace`` instead of the address; ``engine`` is the folder of its log
    and files.
    """

    uri: str
    user: str
    database: str | None
    help: str = "start the server"
    workspace: Path | None = None
    engine: Path | None = None
    secrets: Secrets = Secrets()

    @property
    def graph(self) -> str:
        """The graph, as named in messages."""
        return f"the graph at {self.uri}" if self.workspace is None else f"the graph in {str(self.workspace)!r}"

    @property
    def server(self) -> str:
        """The server of the graph, as named in messages."""
        if self.workspace is None:
            return f"the server at {self.uri}"
        return f"the embedded engine of {str(self.workspace)!r}"


class DuplicateKey(StoreError):
    """A node or an index that must be unique exists twice."""


class StatementTimeout(StoreError):
    """A statement exceeded its time limit."""


class WriteRefused(StoreError):
    """The user of the server may not do what a statement does."""


@contextmanager
def our_errors(place: Place) -> Iterator[None]:
    """Raise the driver's errors as StoreError."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        yield
    except Neo4jError as error:
        complaint = _first_line(place, error.message or "")
        raise _of_server(place, error.code or "", complaint, retryable=error.is_retryable()) from None
    except DriverError as error:
        raise _of_driver(place, error, _first_line(place, str(error))) from None
    except RecursionError:
        raise StoreError(f"{place.server} found a value that is nested too deep; ask for a part of it") from None


def _of_server(place: Place, code: str, complaint: str, *, retryable: bool) -> StoreError:
    small = complaint.lower()
    if any(sign in complaint for sign in DAMAGE):
        return StoreError(
            f"the files of {place.graph} are damaged ({complaint}); restore a backup into a new workspace with "
            "`restore`"
        )
    if "TransactionTimedOut" in code or any(sign in small for sign in TIMEOUTS):
        return StatementTimeout(
            f"a statement took longer than its time limit on {place.server}; ask for less, or raise the limit"
        )
    if any(sign in small for sign in FULL) or (_is_vague(code, small) and _is_full(place)):
        return _disk_full(place)
    if code.startswith(FORBIDDEN):
        return WriteRefused(
            f"user {place.user!r} may not do this on {place.server} ({complaint}); give a user who may read and write "
            f"database {place.database or 'default'!r}"
        )
    kind = DuplicateKey if code in TWICE else StoreError
    return kind(_words(place, code, complaint), retryable=retryable)


def _words(place: Place, code: str, complaint: str) -> str:
    if code.startswith("Neo.ClientError.Security"):
        return (
            f"{place.server} refuses user {place.user!r} ({complaint}): wrong name or password, or too many; "
            "set NEO4J_USERNAME and NEO4J_PASSWORD"
        )
    if code.startswith("Neo.ClientError.Database.DatabaseNotFound"):
        return f"no database {place.database or 'default'!r} at {place.uri}; set NEO4J_DATABASE to one that exists"
    if code in TWICE:
        return (
            f"another process is writing to {place.graph}, or it contains other data ({complaint}); let only one "
            "process write at a time"
        )
    if not _is_vague(code, complaint.lower()):
        return f"{place.server} rejects the statement: {complaint}"
    return f"{place.server} could not do this: {complaint}; see its log, then run the command again"


def _is_vague(code: str, complaint: str) -> bool:
    return not (code.startswith(("Neo.ClientError.S", "Neo.ClientError.Database")) or complaint.startswith(UNKNOWN))


def _of_driver(place: Place, error: Exception, complaint: str) -> StoreError:
    from neo4j.exceptions import BrokenRecordError, DriverError

    if _is_full(place):
        return _disk_full(place)
    if isinstance(error, BrokenRecordError):
        return StoreError(f"{place.server} found a value that cannot be read ({complaint}); return it as toString(...)")
    help_ = place.help if place.workspace else f"{place.help}, or {NEEDED_ADDRESS}"
    retryable = isinstance(error, DriverError) and error.is_retryable()
    return StoreError(f"cannot reach {place.graph} ({complaint}); {help_}; then {AGAIN}", retryable=retryable)


def _is_full(place: Place) -> bool:
    return place.engine is not None and has_full_disk(place.engine)


def _disk_full(place: Place) -> StoreError:
    return StoreError(f"the disk of {place.graph} is full; make room, then {AGAIN}")


def _first_line(place: Place, complaint: str) -> str:
    return (place.secrets.hide(complaint).strip() or "no reason given").splitlines()[0][:300].rstrip(".:")
