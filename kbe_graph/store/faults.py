"""Translation of the driver's and the server's errors to StoreError."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kbe_graph.errors import StoreError
from kbe_graph.secret import Secrets
from kbe_graph.store.address import Place
from kbe_graph.store.engine import FULL, LOG, has_full_disk

if TYPE_CHECKING:
    from neo4j.exceptions import DriverError, Neo4jError

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
        if any(sign in complaint.lower() for sign in FULL) or (place.engine and has_full_disk(place.engine)):
            raise StoreError(
                f"the disk of {place.graph} is full; make room, then run the same command again to continue"
            ) from None
        translated = _of_server if isinstance(error, Neo4jError) else _of_driver
        fault = translated(place, error, complaint)  # type: ignore[arg-type] # the kind that it is
        fault.retryable = error.is_retryable()
        raise fault from None
    except RecursionError:
        raise StoreError(f"{place.server} found a value that is nested too deep; ask for a part of it") from None


def _of_server(place: Place, error: "Neo4jError", complaint: str) -> StoreError:
    code, user, database = error.code or "", place.address.username, place.database or "default"
    if any(sign in complaint for sign in DAMAGE):
        return StoreError(
            f"the files of {place.graph} are damaged ({complaint}); restore a backup into a new workspace with "
            "`restore`"
        )
    if "TransactionTimedOut" in code or "timed out" in complaint.lower() or "timeout" in complaint.lower():
        return StatementTimeout(
            f"a statement took longer than its time limit on {place.server}; ask for less, or raise the limit"
        )
    if code in TWICE:
        return DuplicateKey(
            f"another process is writing to {place.graph}, or it contains other data ({complaint}); let only one "
            "process write at a time"
        )
    if code.startswith(FORBIDDEN):
        return WriteRefused(
            f"user {user!r} may not do this on {place.server} ({complaint}); give a user who may read and write "
            f"database {database!r}"
        )
    return StoreError(_refusal(place, code, complaint))


def _refusal(place: Place, code: str, complaint: str) -> str:
    if code.startswith("Neo.ClientError.Security"):
        return (
            f"{place.server} refuses user {place.address.username!r} ({complaint}): wrong name or password, or too "
            "many; set NEO4J_USERNAME and NEO4J_PASSWORD"
        )
    if code.startswith("Neo.ClientError.Database.DatabaseNotFound"):
        return (
            f"no database {place.database or 'default'!r} at {place.address.uri}; set NEO4J_DATABASE to one that exists"
        )
    return f"{place.server} rejects the statement: {complaint}"


def _of_driver(place: Place, error: "DriverError", complaint: str) -> StoreError:
    from neo4j.exceptions import BrokenRecordError

    if isinstance(error, BrokenRecordError):
        return StoreError(f"{place.server} found a value that cannot be read ({complaint}); return it as toString(...)")
    help_ = f"see {str(place.engine / LOG)!r}" if place.engine else NEEDED_ADDRESS
    return StoreError(f"cannot reach {place.graph} ({complaint}); {help_}; then run the same command again to continue")
