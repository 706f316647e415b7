"""Logs in to a graph; where wrong passwords of others have locked its user out for a while, that is waited out."""

import time
import warnings
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from kbe_graph.errors import KbeWarning
from kbe_graph.store.engine_process import PASSWORD_FILE, reader_password
from kbe_graph.store.faults import Place

if TYPE_CHECKING:
    import neo4j

LOCKED = "Neo.ClientError.Security.AuthenticationRateLimit"
UNAUTHORIZED = "Neo.ClientError.Security.Unauthorized"
LONGEST = 40.0  # seconds: the embedded engine locks a user out for 30, Neo4j for 5 unless it is set otherwise
PAUSE = 1.0  # seconds between two tries


def log_in(driver: "neo4j.Driver", place: Place, password: str) -> None:
    """Reach the server and log in, or close the driver; raises the driver's errors.

    Anybody on a machine can lock a user out with wrong passwords. Warns once, and tries for at most 40 seconds.
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
                    f"somebody gave {place.server} wrong passwords of user {place.user!r}, so it locks that user out "
                    "for some seconds; waiting until it ends",
                    KbeWarning,
                    stacklevel=2,
                )
            time.sleep(PAUSE)


def _is_locked_out(code: str, place: Place, password: str) -> bool:
    """Whether a right password is refused: the embedded engine says of every refusal that the password is wrong."""
    if code.startswith(LOCKED):
        return True
    return code.startswith(UNAUTHORIZED) and place.engine is not None and password in _current_passwords(place)


def _current_passwords(place: Place) -> tuple[str, ...]:
    with suppress(OSError):
        if place.engine is not None:
            password = (place.engine / PASSWORD_FILE).read_text(encoding="utf-8")
            return password, reader_password(password)
    return ()
