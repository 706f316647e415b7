"""Errors of the driver and the server as ours: one table."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from kbe_graph.errors import StoreError

AGAIN = "run the same command again to go on"

# the first code that a server's error starts with decides; {uri}, {user}, {database}, {said} are filled in
CODES = (
    (
        "Neo.ClientError.Security.AuthenticationRateLimit",
        "{uri} refuses user {user!r} for a while after too many wrong passwords; wait, then give the right one",
    ),
    (
        "Neo.ClientError.Security.CredentialsExpired",
        "the password of user {user!r} at {uri} must be changed before it can be used; change it on the server",
    ),
    (
        "Neo.ClientError.Security.Forbidden",
        "user {user!r} may not do this at {uri} ({said}); give a user who may read and write database {database!r}",
    ),
    (
        "Neo.ClientError.Security",
        "{uri} refuses user {user!r}: wrong name or password; set NEO4J_USERNAME and NEO4J_PASSWORD",
    ),
    (
        "Neo.ClientError.Database.DatabaseNotFound",
        "no database {database!r} at {uri}; set NEO4J_DATABASE to one that is there",
    ),
    (
        "Neo.TransientError.Database.DatabaseUnavailable",
        "database {database!r} at {uri} is not available now; see the server's log, then run the command again",
    ),
    (
        "Neo.ClientError.Transaction.TransactionTimedOut",
        "a statement took longer than its time limit at {uri}; ask for less, or raise the limit",
    ),
    (
        "Neo.TransientError.Transaction.Terminated",
        "the server at {uri} ended the statement ({said}); ask for less, or run the command again",
    ),
    (
        "Neo.ClientError.Schema.ConstraintValidationFailed",
        "another process writes to the graph at {uri}, or it holds foreign data ({said}); let one write at a time",
    ),
    (
        "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
        "the server at {uri} has not enough memory for the statement; give it more, or ask for less",
    ),
    (
        "Neo.TransientError.General.OutOfMemoryError",
        "the server at {uri} has not enough memory for the statement; give it more, or ask for less",
    ),
    (
        "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
        "database {database!r} at {uri} is read only; make it writable, or look whether the server's disk is full",
    ),
    (
        "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
        "database {database!r} at {uri} is read only; make it writable, or look whether the server's disk is full",
    ),
    ("Neo.ClientError.Statement", "the server at {uri} does not take the statement: {said}"),
    ("Neo.TransientError", "the server at {uri} could not do this now: {said}; run the command again"),
    ("Neo.DatabaseError", "the server at {uri} failed: {said}; see its log (a full disk is a common cause)"),
)
OTHER = "the server at {uri} refused: {said}"
DISK = ("no space left on device", "disk full", "disk quota exceeded")
DISK_FULL = f"the disk of the graph at {{uri}} is full; make room, then {AGAIN}"
TIMEOUTS = ("timed out", "timeout")

# the first class that a driver's error belongs to decides
CLASSES = (
    ("ServiceUnavailable", f"cannot reach the graph at {{uri}} ({{said}}); {{help}}, then {AGAIN}"),
    ("SessionExpired", f"the server at {{uri}} went away ({{said}}); {{help}}, then {AGAIN}"),
    ("ConfigurationError", "the address {uri!r} cannot be used ({said}); it looks like neo4j://host:7687"),
    ("DriverError", f"the connection to {{uri}} failed ({{said}}); {{help}}, then {AGAIN}"),
)


class Place(NamedTuple):
    """What an error message says of the server: never the password."""

    uri: str
    user: str
    database: str | None
    help: str = "start the server"


class StatementTimeout(StoreError):
    """A statement took longer than its time limit."""


@contextmanager
def our_errors(place: Place) -> Iterator[None]:
    """Turn the driver's and the server's errors into StoreError, which is retryable as the driver says."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        yield
    except Neo4jError as error:
        raise _of_server(place, error.code or "", error.message or "", retryable=error.is_retryable()) from None
    except DriverError as error:
        raise _of_driver(place, error, retryable=error.is_retryable()) from None


def _of_server(place: Place, code: str, said: str, *, retryable: bool) -> StoreError:
    if any(sign in said.lower() for sign in DISK):
        return StoreError(_fill(DISK_FULL, place, said))
    template = next((text for start, text in CODES if code.startswith(start)), OTHER)
    if "TransactionTimedOut" in code or any(sign in said.lower() for sign in TIMEOUTS):
        return StatementTimeout(_fill(dict(CODES)["Neo.ClientError.Transaction.TransactionTimedOut"], place, said))
    return StoreError(_fill(template, place, said), retryable=retryable)


def _of_driver(place: Place, error: Exception, *, retryable: bool) -> StoreError:
    names = {kind.__name__ for kind in type(error).__mro__}
    template = next((text for name, text in CLASSES if name in names), OTHER)
    return StoreError(_fill(template, place, str(error)), retryable=retryable)


def _fill(template: str, place: Place, said: str) -> str:
    first = (said.strip() or "no reason given").splitlines()[0][:300].rstrip(".:")
    return template.format(**place._asdict() | {"database": place.database or "default", "said": first})
