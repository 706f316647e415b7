"""The calls of a workspace, kept in SQLite by a hash of their content: what was paid for is not paid for again."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from kbe_graph.files.private import private_folder
from kbe_graph.files.resources import data
from kbe_graph.models.failures import CallFailed
from kbe_graph.models.request import Usage
from kbe_graph.models.settings import Capabilities
from kbe_graph.models.wire import Call
from kbe_graph.models.writer import SqlWrite, Writer, connect

MARK = """INSERT INTO calls (key, step, model, url, status, batch, at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = excluded.status, batch = excluded.batch, at = excluded.at"""
DONE = """INSERT INTO calls (key, step, model, url, status, raw, prompt, cached, output, dollars, attempts, seconds, at)
VALUES (?, ?, ?, ?, 'done', ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = 'done', raw = excluded.raw, prompt = excluded.prompt, cached = excluded.cached,
output = excluded.output, dollars = excluded.dollars, attempts = excluded.attempts, seconds = excluded.seconds,
at = excluded.at"""
# what is tried after giving up counts anew, and so it is kept as later, also where the clock was set back in between
FAILED = """INSERT INTO failures (key, step, model, kind, said, raw, prompt, cached, output, dollars, attempts, at)
VALUES (?1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, max(?, coalesce((SELECT at + 0.001 FROM given_up WHERE key = ?1), 0)))"""
DISCARD = """INSERT INTO failures (key, step, model, kind, said, raw, prompt, cached, output, dollars, attempts, at)
SELECT key, step, model, ?, ?, raw, prompt, cached, output, dollars, attempts,
max(?, coalesce((SELECT at + 0.001 FROM given_up WHERE given_up.key = calls.key), 0)) FROM calls
WHERE key = ? AND status = 'done'"""
GIVEN_UP = """INSERT OR REPLACE INTO given_up
VALUES (?1, max(?2, coalesce((SELECT max(at) FROM failures WHERE key = ?1), 0)))"""
TRIES = """SELECT kind, count(*) FROM failures
WHERE key = ? AND at > coalesce((SELECT at FROM given_up WHERE key = ?), 0) GROUP BY kind"""
FORGET = "DELETE FROM calls WHERE key = ?"
HIT = "INSERT INTO hits VALUES (?, ?, ?) ON CONFLICT (step, model) DO UPDATE SET count = count + excluded.count"

MOST_RAW = 100_000  # bytes that are kept of an answer that could not be used


class KeptCall(NamedTuple):
    """A call as it is kept: its status, and the raw reply; ``dollars`` is None where the price was unknown."""

    step: str
    model: str
    status: str
    raw: bytes
    usage: Usage
    dollars: float | None


class Cost(NamedTuple):
    """What a call cost: tokens, dollars (None where the price is unknown), attempts and seconds."""

    usage: Usage
    dollars: float | None
    attempts: int = 1
    seconds: float | None = None


class CallStore:
    """The call store in a file, safe for several processes at once. Close it at the end.

    A call is marked before it goes out, and its reply is in the file before anybody sees it: after a crash, those still
    marked ``asking`` are all that may have been paid for in vain.
    """

    def __init__(self, file: Path) -> None:
        private_folder(file.parent)
        self.file = file
        self.writer = Writer(file)
        self.reader = connect(file)
        self.reader.executescript(data("calls.sql").read_text(encoding="utf-8"))
        self._hits: Counter[tuple[str, str]] = Counter()

    def get(self, key: str) -> KeptCall | None:
        """Return the row of a call, done or not; None where it was never asked."""
        row = self.reader.execute(
            "SELECT step, model, status, raw, prompt, cached, output, dollars FROM calls WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            return None
        step, model, status, raw, *tokens, dollars = row
        return KeptCall(step, model, status, raw or b"", Usage(*tokens), dollars)

    def count_hit(self, call: Call) -> None:
        """Count a reply that was not paid again; written with the next rows."""
        self._hits[call.request.step, call.settings.model] += 1

    def failures(self, key: str) -> int:
        """Return how many replies to a call could not be used."""
        count: int = self.reader.execute("SELECT count(*) FROM failures WHERE key = ?", (key,)).fetchone()[0]
        return count

    def has_replied(self, url: str, *, step: str | None = None) -> bool:
        """Return whether an endpoint has ever given a whole reply, to a step or to any."""
        query = "SELECT 1 FROM calls WHERE url = ? AND status = 'done' AND step = coalesce(?, step) LIMIT 1"
        return bool(self.reader.execute(query, (url, step)).fetchone())

    def mark_asking(self, call: Call) -> None:
        """Mark a call that goes out now."""
        self.writer.write_later(mark_row(call, "asking")).add_done_callback(_note_failure)

    async def keep_reply(self, call: Call, raw: bytes, cost: Cost) -> None:
        """Keep a whole reply; returns once it is in the file. Raises ResourceError."""
        await self.writer.write_later(done_row(call, raw, cost), *self._hit_rows())

    async def keep_failure(self, call: Call, failure: CallFailed, cost: Cost) -> None:
        """Keep a failure apart; returns once it is in the file. Raises ResourceError."""
        await self.writer.write_later(*failure_rows(call, failure, cost), *self._hit_rows())

    async def give_up(self, key: str) -> None:
        """Keep that a call was given up."""
        await self.writer.write_later(given_up_row(key))

    async def discard_reply(self, key: str, reason: str, kind: str = "invalid") -> None:
        """Move a kept reply that turned out to be of no use to the failures, so that the call is made again."""
        await self.writer.write_later(
            SqlWrite(DISCARD, (kind, _storable(reason), time.time(), key)), SqlWrite(FORGET, (key,))
        )

    def write(self, rows: Iterable[SqlWrite]) -> None:
        """Write rows in one transaction, without an event loop; raises ResourceError."""
        self.writer.write_now((*rows, *self._hit_rows()))

    def find_lessons(self, url: str, model: str, *, within: float) -> dict[str, bool]:
        """Return what an endpoint was found to take or not with a model, by capability, if found in so many seconds."""
        row = self.reader.execute(
            "SELECT capabilities FROM probes WHERE url = ? AND model = ? AND abs(at - ?) < ?",
            (url, model, time.time(), within),
        ).fetchone()
        names = {capability.name for capability in fields(Capabilities)}
        return {name: value for name, value in json.loads(row[0]).items() if name in names} if row else {}

    def keep_lessons(self, url: str, model: str, lessons: Mapping[str, bool]) -> None:
        """Keep what an endpoint was found to take or not."""
        values = (url, model, json.dumps(dict(lessons)), time.time())
        self.write([SqlWrite("INSERT OR REPLACE INTO probes VALUES (?, ?, ?, ?)", values)])

    def tries(self, key: str) -> Counter[str]:
        """Return how often a call has failed since it was last given up, by the kind of the failure."""
        return Counter(dict(self.reader.execute(TRIES, (key, key)).fetchall()))

    def last_failure(self, key: str) -> CallFailed:
        """Return the last failure of a call that has failed."""
        kind, message, raw = self.reader.execute(
            "SELECT kind, said, raw FROM failures WHERE key = ? ORDER BY rowid DESC LIMIT 1", (key,)
        ).fetchone()
        return CallFailed(kind, message, raw=raw or b"")

    def was_given_up(self, key: str) -> bool:
        """Return whether a call was given up before."""
        return bool(self.reader.execute("SELECT 1 FROM given_up WHERE key = ?", (key,)).fetchone())

    def close(self) -> None:
        """Write what is left and close."""
        self.write(())
        self.writer.close()
        self.reader.close()

    def _hit_rows(self) -> list[SqlWrite]:
        rows = [SqlWrite(HIT, (*place, count)) for place, count in self._hits.items()]
        self._hits.clear()
        return rows


def given_up_row(key: str) -> SqlWrite:
    """Return the row that tells that a call was given up: the next command has all its tries again."""
    return SqlWrite(GIVEN_UP, (key, time.time()))


def mark_row(call: Call, status: str, batch: str = "") -> SqlWrite:
    """Return the row that marks a call as ``asking``, or as ``waiting`` in the batch file named."""
    return SqlWrite(MARK, (*_place(call), status, batch, time.time()))


def done_row(call: Call, raw: bytes, cost: Cost) -> SqlWrite:
    """Return the row of a whole reply."""
    return SqlWrite(DONE, (*_place(call), raw, *cost.usage, cost.dollars, cost.attempts, cost.seconds, time.time()))


def failure_rows(call: Call, failure: CallFailed, cost: Cost) -> tuple[SqlWrite, SqlWrite]:
    """Return the rows that keep a failure apart and remove the mark of its call."""
    step, model = call.request.step, call.settings.model
    values = (call.key, step, model, failure.fault.kind, _storable(failure.message[:2000]), failure.raw[:MOST_RAW])
    return SqlWrite(FAILED, (*values, *cost.usage, cost.dollars, cost.attempts, time.time())), SqlWrite(
        FORGET, (call.key,)
    )


def _storable(text: str) -> str:
    """Return the text without halves of letters, which SQLite does not take."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _place(call: Call) -> tuple[str, str, str, str]:
    return call.key, call.request.step, call.settings.model, call.settings.base_url


def _note_failure(promise: "asyncio.Future[None]") -> None:
    """Retrieve the error of a mark that could not be written; writing the reply's own row raises it."""
    if not promise.cancelled():
        promise.exception()
