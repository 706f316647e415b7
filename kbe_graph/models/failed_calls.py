"""What endpoints said to the calls that failed."""

from datetime import UTC, datetime
from typing import NamedTuple

from kbe_graph.models.call_store import CallStore
from kbe_graph.models.completion import read_text
from kbe_graph.models.failures import one_line

MOST = 200  # characters of a reply
LAST = "SELECT at, step, model, kind, said, raw, key FROM failures ORDER BY at DESC, rowid DESC LIMIT ?"


class FailedCall(NamedTuple):
    """A call that failed: when, of which step and model, how, what the endpoint said and what the reply began with.

    ``message`` and ``reply`` are one line of at most 200 characters; ``call`` is the hash that the call is kept under.
    """

    at: str
    step: str
    model: str
    kind: str
    message: str
    reply: str
    call: str


def failed_calls(store: CallStore, *, limit: int) -> list[FailedCall]:
    """Return the last calls that failed, the newest first; a call that was tried again is there for each try."""
    rows = store.reader.execute(LAST, (limit,)).fetchall()
    return [
        FailedCall(_time(at), step, model, kind, one_line(message), _line(read_text(raw or b"")), key)
        for at, step, model, kind, message, raw, key in rows
    ]


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _line(text: str) -> str:
    return " ".join(text[: 4 * MOST].split())[:MOST]
