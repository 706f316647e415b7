"""Translation of the driver's and the server's errors to StoreError, by tables."""

import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from kbe_graph.errors import StoreError
from kbe_graph.secret import Secrets
from kbe_graph.store.engine_files import FULL, has_full_disk

T = TypeVar("T")
AGAIN = "run the same command again to continue"

# the first code that the server's error code starts with applies; {server}, {graph}, {uri}, {user}, {database} and
# {said} are filled in
CODES = (
    (
        "Neo.ClientError.Security.AuthenticationRateLimit",
        "{server} refuses user {user!r} for a while after too many wrong passwords; wait, then give the right one",
    ),
    (
        "Neo.ClientError.Security.CredentialsExpired",
        "the password of user {user!r} of {server} must be changed before it can be used; change it on the server",
    ),
    (
        "Neo.ClientError.Security.Forbidden",
        "user {user!r} may not do this on {server} ({said}); give a user who may read and write database {database!r}",
    ),
    (
        "Neo.ClientError.Security",
        "{server} refuses user {user!r}: wrong name or password; set NEO4J_USERNAME and NEO4J_PASSWORD",
    ),
    (
        "Neo.ClientError.Database.DatabaseNotFound",
        "no database {database!r} at {uri}; set NEO4J_DATABASE to one that exists",
    ),
    (
        "Neo.TransientError.Database.DatabaseUnavailable",
        "database {database!r} of {server} is not available now; see the server's log, then run the command again",
    ),
    (
        "Neo.ClientError.Transaction.TransactionTimedOut",
        "a statement took longer than its time limit on {server}; ask for less, or raise the limit",
    ),
    (
        "Neo.TransientError.Transaction.Terminated",
        "{server} ended the statement ({said}); ask for less, or run the command again",
    ),
    (
        "Neo.ClientError.Schema.ConstraintValidationFailed",
        (
            "another process is writing to {graph}, or it contains other data ({said}); let only one process write at "
            "a time"
        ),
    ),
    (
        "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
        "{server} has not enough memory for the statement; give it more, or ask for less",
    ),
    (
        "Neo.TransientError.General.OutOfMemoryError",
        "{server} has not enough memory for the statement; give it more, or ask for less",
    ),
    (
        "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
        "database {database!r} of {server} is read only; make it writable, or look whether the server's disk is full",
    ),
    (
        "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
        "database {database!r} of {server} is read only; make it writable, or look whether the server's disk is full",
    ),
    ("Neo.ClientError.Statement", "{server} rejects the statement: {said}"),
    ("Neo.TransientError", "{server} could not do this now: {said}; run the command again"),
    ("Neo.DatabaseError", "{server} failed: {said}; see its log (a full disk is a common cause)"),
)
OWN_PASSWORD = f"{{server}} rejects its own password; stop it with `work.graph.engine.stop()`, then {AGAIN}"
OTHER = "{server} refused: {said}"
DISK_FULL = f"the disk of {{graph}} is full; make room, then {AGAIN}"
UNKNOWN = ("unknown function", "unknown procedure")  # errors that the embedded engine reports as internal ones
VAGUE = (OTHER, CODES[-2][1], CODES[-1][1])  # the cause may be a full disk
DAMAGE = ("CHECK DATABASE", "Cannot find record type", "is corrupted")
DAMAGED = (
    "the files of {graph} are damaged ({said}); restore a backup into a new workspace with `work.graph.restore(FILE)`"
)
TWICE = ("Neo.ClientError.Schema.ConstraintValidationFailed", "Neo.DatabaseError.Schema.ConstraintCreationFailed")
SET = 1.0  # seconds: more than a clock drifts during a statement
TIMEOUTS = ("timed out", "timeout")

# the first class that matches the driver's error applies
CLASSES = (
    ("BrokenRecordError", "{server} found a value that cannot be read ({said}); return it as toString(...)"),
    ("ServiceUnavailable", f"cannot reach {{graph}} ({{said}}); {{help}}, then {AGAIN}"),
    ("SessionExpired", f"{{server}} disconnected ({{said}}); {{help}}, then {AGAIN}"),
    ("ConfigurationError", "the address {uri!r} cannot be used ({said}); write one such as neo4j://host:7687"),
    ("DriverError", f"the connection to {{server}} failed ({{said}}); {{help}}, then {AGAIN}"),
)
HANDSHAKE = "handshake"
NO_BOLT = (
    f"the program at {{uri}} does not answer as a graph; start the server, or give the address of its Bolt "
    f"port (7687 unless it was changed), then {AGAIN}"
)
NO_TLS = (
    f"{{graph}} cannot be reached with encryption ({{said}}); for a server without encryption use bolt:// "
    f"or neo4j://, for one with a self-signed certificate add +ssc, then {AGAIN}"
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


def again_if_clock_was_set(attempt: Callable[[], T], *, clock: Callable[[], float] = time.time) -> T:
    """Run ``attempt``; retry it if its time limit expired only because the system clock changed.

    Engines measure limits by the clock, which may be set, or jump when the machine sleeps, during a statement. Raises
    as ``attempt`` does.
    """
    while True:
        ahead = clock() - time.monotonic()
        try:
            return attempt()
        except StatementTimeout:
            if abs(clock() - time.monotonic() - ahead) < SET:
                raise


@contextmanager
def our_errors(place: Place) -> Iterator[None]:
    """Convert the driver's and the server's errors to StoreError, retryable if the driver says so."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        yield
    except Neo4jError as error:
        raise _of_server(place, error.code or "", error.message or "", retryable=error.is_retryable()) from None
    except DriverError as error:
        raise _of_driver(place, error, retryable=error.is_retryable()) from None
    except RecursionError:
        raise StoreError(f"{place.server} found a value that is nested too deep; ask for a part of it") from None


def _of_server(place: Place, code: str, said: str, *, retryable: bool) -> StoreError:
    template = next((text for start, text in CODES if code.startswith(start)), OTHER)
    if code.startswith("Neo.ClientError.Security.Unauthorized") and place.workspace is not None:
        template = OWN_PASSWORD
    if said.lower().startswith(UNKNOWN):
        template = dict(CODES)["Neo.ClientError.Statement"]
    if any(sign in said for sign in DAMAGE):
        return StoreError(_fill(DAMAGED, place, said))
    if any(sign in said.lower() for sign in FULL) or (template in VAGUE and _is_full(place)):
        return StoreError(_fill(DISK_FULL, place, said))
    if "TransactionTimedOut" in code or any(sign in said.lower() for sign in TIMEOUTS):
        return StatementTimeout(_fill(dict(CODES)["Neo.ClientError.Transaction.TransactionTimedOut"], place, said))
    kind = DuplicateKey if code in TWICE else StoreError
    return kind(_fill(template, place, said), retryable=retryable)


def _is_full(place: Place) -> bool:
    return place.engine is not None and has_full_disk(place.engine)


def _of_driver(place: Place, error: Exception, *, retryable: bool) -> StoreError:
    if _is_full(place):
        return StoreError(_fill(DISK_FULL, place, ""))
    names = {kind.__name__ for kind in type(error).__mro__}
    template = next((text for name, text in CLASSES if name in names), OTHER)
    if place.workspace is None and HANDSHAKE in str(error):
        template = NO_BOLT
    if _is_of_encryption(error):
        template = NO_TLS
    return StoreError(_fill(template, place, str(error)), retryable=retryable)


def _is_of_encryption(error: BaseException | None) -> bool:
    """Return True if TLS caused the error, directly or indirectly."""
    if isinstance(error, BaseExceptionGroup):
        return any(map(_is_of_encryption, error.exceptions))
    return error is not None and (isinstance(error, ssl.SSLError) or _is_of_encryption(error.__cause__))


def _fill(template: str, place: Place, said: str) -> str:
    first = (place.secrets.hide(said).strip() or "no reason given").splitlines()[0][:300].rstrip(".:")
    names = {"graph": place.graph, "server": place.server, "database": place.database or "default", "said": first}
    return template.format(**place._asdict() | names)
