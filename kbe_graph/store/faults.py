"""Translation of the driver's and the server's errors to StoreError."""

from collections.abc import Iterator
from contextlib import contextmanager

from kbe_graph.errors import StoreError
from kbe_graph.secret import Secrets
from kbe_graph.store.address import Place
from kbe_graph.store.engine import FULL, LOG, has_full_disk

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
