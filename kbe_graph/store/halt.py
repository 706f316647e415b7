"""Ends the embedded engine in the middle of a statement: it stops none when it is asked to, nor when its user goes."""

import os
import signal
import warnings
from contextlib import suppress
from pathlib import Path

from kbe_graph.errors import KbeWarning
from kbe_graph.store.embedded import ends_within, start
from kbe_graph.store.engine_lock import running

LIMIT = 10.0  # seconds that a system which is busy needs to end a process


def halt_engine(directory: Path, *, why: str = "it cannot stop a query") -> None:
    """End the engine of a folder at once; one that is kept up is started anew on its port, and a warning says why."""
    record = running(directory)
    if record is None:
        return
    with suppress(ProcessLookupError):
        os.kill(record.pid, signal.SIGKILL)
    ends_within(directory, record.pid, LIMIT)
    if record.kept_up:
        warnings.warn(
            f"the engine that is kept up is started anew, with a new password (`work.graph.engine.address()`): {why}",
            KbeWarning,
            stacklevel=2,
        )
        start(directory, port=record.bolt_port)
