"""SQLite cache of a workspace's calls, keyed by a hash of their content, and the summary of what it holds."""

import asyncio
import json
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

from kbe_graph.errors import KbeError, ResourceError
from kbe_graph.files.database import Database
from kbe_graph.files.resources import data
from kbe_graph.files.whole import private_folder
from kbe_graph.models.catalogue import Usage, dollars_each
from kbe_graph.models.reply import TRIES, CallFailed, one_line, shown_text, without_surrogates
from kbe_graph.models.request import Call, Check, Reply

BUSY = 60.0  # seconds to wait for another process to finish writing
PAUSE = 0.01  # seconds between retries while it does
MOST_RAW = 100_000  # bytes kept of an unusable reply

MARK = """INSERT INTO calls (key, step, model, url, status, batch, at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = excluded.status, batch = excluded.batch, at = excluded.at"""
DONE = """INSERT INTO calls (key, step, model, url, status, raw, prompt, cached, output, dollars, seconds, at)
VALUES (?, ?, ?, ?, 'done', ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = 'done', raw = excluded.raw, prompt = excluded.prompt, cached = excluded.cached,
output = excluded.output, dollars = excluded.dollars, seconds = excluded.seconds, at = excluded.at"""
# tries are counted from the last give-up, so a failure is always dated after it, even if the clock was set back
FAILED = """INSERT INTO failures (key, step, model, kind, said, raw, prompt, cached, output, dollars, at)
VALUES (?1, ?, ?, ?, ?, ?, ?, ?, ?, ?, max(?, coalesce((SELECT at + 0.001 FROM given_up WHERE key = ?1), 0)))"""
DISCARD = """INSERT INTO failures (key, step, model, kind, said, raw, prompt, cached, output, dollars, at)
SELECT key, step, model, 'invalid', ?, raw, prompt, cached, output, dollars,
max(?, coalesce((SELECT at + 0.001 FROM given_up WHERE given_up.key = calls.key), 0)) FROM calls
WHERE key = ? AND status = 'done'"""
GIVEN_UP = """INSERT OR REPLACE INTO given_up
VALUES (?1, max(?2, coalesce((SELECT max(at) FROM failures WHERE key = ?1), 0)))"""
TRIED = """SELECT kind, count(*) FROM failures
WHERE key = ? AND at > coalesce((SELECT at FROM given_up WHERE key = ?), 0) GROUP BY kind"""
FORGET = "DELETE FROM calls WHERE key = ?"
HIT = "INSERT INTO hits VALUES (?, ?, ?) ON CONFLICT (step, model) DO UPDATE SET count = count + excluded.count"


class SqlWrite(NamedTuple):
    """SQL statement and its parameters."""

    statement: str
    values: tuple[Any, ...]


class KeptCall(NamedTuple):
    """Stored call: status, raw reply, cost in ``dollars`` (None if the price is unknown), endpoint ``url``."""

    step: str
    model: str
    status: str
    raw: bytes
    usage: Usage
    dollars: float | None
    url: str


class Cost(NamedTuple):
    """Cost of a call: tokens, dollars (None if the price, or what a lost call cost, is unknown) and seconds."""

    usage: Usage = Usage()
    dollars: float | None = 0.0
    seconds: float | None = None

    @classmethod
    def of(cls, call: Call, usage: Usage | None, begun: float) -> Self:
        """Calculate the cost of a call that began at a time of the monotonic clock; ``usage`` is None if unknown."""
        price, seconds = call.settings.price, time.monotonic() - begun
        return cls(usage or Usage(), price.dollars(usage) if price and usage else None, seconds)


class Writer:
    """Single writing connection, one transaction at a time; rows that arrive meanwhile go into the next transaction."""

    def __init__(self, file: Path) -> None:
        self._connection = connect(file)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="calls")
        self._writing = threading.Lock()
        self._rows: list[SqlWrite] = []
        self._promises: list[asyncio.Future[None]] = []
        self._task: asyncio.Task[None] | None = None

    def write_later(self, *rows: SqlWrite) -> asyncio.Future[None]:
        """Queue rows for writing; the future resolves once they are in the file, safe from a process crash."""
        promise = asyncio.get_running_loop().create_future()
        self._rows += rows
        self._promises.append(promise)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write_all())
        return promise

    def write_now(self, rows: Iterable[SqlWrite]) -> None:
        """Write rows in one transaction, all or none; raises ResourceError."""
        with self._writing, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            for row in rows:
                self._connection.execute(row.statement, row.values)

    def close(self) -> None:
        """Write the queued rows and close the connection."""
        self._thread.shutdown(wait=True)
        self.write_now(self._rows)
        self._rows = []
        self._connection.close()

    async def _write_all(self) -> None:
        while self._rows or self._promises:
            rows, promises = self._rows, self._promises
            self._rows, self._promises = [], []
            error: ResourceError | None = None
            try:
                await asyncio.get_running_loop().run_in_executor(self._thread, self.write_now, rows)
            except ResourceError as fault:
                error = fault
            for promise in promises:
                if not promise.done() and error is None:
                    promise.set_result(None)
                elif not promise.done() and error is not None:
                    promise.set_exception(error)


class CallStore:
    """File-based call store, safe for several processes at once; close it at the end.

    A call is marked before it is sent, and its reply is written to the file before anything else sees it. After a
    crash, only the calls still marked ``asking`` may have been paid for without a stored reply.
    """

    def __init__(self, file: Path) -> None:
        private_folder(file.parent)
        self.file = file
        self.writer = Writer(file)
        self.reader = connect(file)
        self.reader.executescript(data("calls.sql").read_text(encoding="utf-8"))
        self._hits: Counter[tuple[str, str]] = Counter()

    def get(self, key: str) -> KeptCall | None:
        """Look up a call, complete or not; None if it was never made."""
        row = self.reader.execute(
            "SELECT step, model, status, url, raw, prompt, cached, output, dollars FROM calls WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            return None
        step, model, status, url, raw, *tokens, dollars = row
        return KeptCall(step, model, status, raw or b"", Usage(*tokens), dollars, url)

    async def reply(self, call: Call, check: Check | None = None) -> Reply | None:
        """Return the stored reply to a call, if any; one that ``check`` rejects is moved to the failures."""
        kept = self.get(call.key)
        if kept is None or kept.status != "done":
            return None
        try:
            reply = call.read(kept.raw, check, usage=kept.usage, cached=True)
        except CallFailed as failed:
            values = without_surrogates(failed.message), time.time(), call.key
            await self.writer.write_later(SqlWrite(DISCARD, values), SqlWrite(FORGET, (call.key,)))
            return None
        self._hits[call.request.step, call.settings.model] += 1
        return reply

    def failures(self, key: str) -> int:
        """Count the unusable replies to a call."""
        count: int = self.reader.execute("SELECT count(*) FROM failures WHERE key = ?", (key,)).fetchone()[0]
        return count

    def has_replied(self, url: str, *, step: str | None = None) -> bool:
        """Return True if the endpoint has ever given a complete reply, for ``step`` or for any step."""
        query = "SELECT 1 FROM calls WHERE url = ? AND status = 'done' AND step = coalesce(?, step) LIMIT 1"
        return bool(self.reader.execute(query, (url, step)).fetchone())

    def mark_asking(self, call: Call) -> None:
        """Mark a call as being sent; if the mark could not be written, writing the reply's row raises the error."""
        self.writer.write_later(mark_row(call, "asking")).add_done_callback(
            lambda promise: None if promise.cancelled() else promise.exception()
        )

    async def keep_reply(self, call: Call, raw: bytes, cost: Cost) -> None:
        """Store a complete reply; returns once it is in the file. Raises ResourceError."""
        await self.writer.write_later(done_row(call, raw, cost), *self._hit_rows())

    async def keep_failure(self, call: Call, failure: CallFailed, cost: Cost) -> None:
        """Store a failure in its own table; returns once it is in the file. Raises ResourceError."""
        await self.writer.write_later(*failure_rows(call, failure, cost), *self._hit_rows())

    async def give_up(self, key: str) -> None:
        """Record that a call was given up."""
        await self.writer.write_later(given_up_row(key))

    def write(self, rows: Iterable[SqlWrite]) -> None:
        """Write rows in one transaction, without an event loop; raises ResourceError."""
        self.writer.write_now((*rows, *self._hit_rows()))

    def refuses_format(self, url: str, model: str) -> bool:
        """Return True if an endpoint and model were found not to accept a ``response_format``."""
        query = "SELECT capabilities FROM probes WHERE url = ? AND model = ?"
        row = self.reader.execute(query, (url, model)).fetchone()
        return bool(row) and json.loads(row[0]).get("json_schema") is False

    def keep_refused_format(self, url: str, model: str) -> None:
        """Store that an endpoint and model do not accept a ``response_format``."""
        values = (url, model, json.dumps({"json_schema": False}), time.time())
        self.write([SqlWrite("INSERT OR REPLACE INTO probes VALUES (?, ?, ?, ?)", values)])

    def tries(self, key: str) -> Counter[str]:
        """Count a call's failures since it was last given up, by kind."""
        return Counter(dict(self.reader.execute(TRIED, (key, key)).fetchall()))

    def error_if_tried_out(self, call: Call, tries: Mapping[str, int], *, most: int = 1 << 20) -> KbeError | None:
        """Return the last error of a call that has used up its tries, at most ``most`` of each kind; None otherwise."""
        if not any(count >= min(most, TRIES.get(kind, 1)) for kind, count in tries.items()):
            return None
        query = "SELECT kind, said FROM failures WHERE key = ? ORDER BY rowid DESC LIMIT 1"
        return call.error(CallFailed(*self.reader.execute(query, (call.key,)).fetchone()))

    def close(self) -> None:
        """Write the remaining rows and close the connections."""
        self.write(())
        self.writer.close()
        self.reader.close()

    def _hit_rows(self) -> list[SqlWrite]:
        rows = [SqlWrite(HIT, (*place, count)) for place, count in self._hits.items()]
        self._hits.clear()
        return rows


def connect(file: Path) -> Database:
    """Open a database file in WAL mode, with each statement its own transaction; raises ResourceError."""
    database = Database(file, timeout=BUSY, isolation_level=None, check_same_thread=False)
    end = time.monotonic() + BUSY
    while True:  # SQLite's busy timeout does not cover another process switching to WAL
        try:
            database.execute("PRAGMA journal_mode=WAL")
        except ResourceError as error:
            if getattr(error.__cause__, "sqlite_errorcode", 0) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(PAUSE)
        else:
            break
    database.execute("PRAGMA synchronous=NORMAL")
    return database


def given_up_row(key: str) -> SqlWrite:
    """Build the row that gives up a call: the next command has all its tries again."""
    return SqlWrite(GIVEN_UP, (key, time.time()))


def mark_row(call: Call, status: str, batch: str = "") -> SqlWrite:
    """Build the row that marks a call as ``asking``, or as ``waiting`` in the named batch file."""
    return SqlWrite(MARK, (*_place(call), status, batch, time.time()))


def done_row(call: Call, raw: bytes, cost: Cost) -> SqlWrite:
    """Build the row of a complete reply."""
    return SqlWrite(DONE, (*_place(call), raw, *cost.usage, cost.dollars, cost.seconds, time.time()))


def failure_rows(call: Call, failure: CallFailed, cost: Cost) -> tuple[SqlWrite, SqlWrite]:
    """Build the rows that store a failure and remove the mark of its call."""
    key, step, model, _ = _place(call)
    message, raw = without_surrogates(failure.message[:2000]), failure.raw[:MOST_RAW]
    values = (key, step, model, failure.kind, message, raw, *cost.usage, cost.dollars, time.time())
    return SqlWrite(FAILED, values), SqlWrite(FORGET, (key,))


def _place(call: Call) -> tuple[str, str, str, str]:
    return call.key, call.request.step, call.settings.model, call.settings.base_url


@dataclass(slots=True)
class CallLine:
    """Totals for one step and model: replies, cache hits, failures by kind, tokens and dollars.

    ``asking`` counts calls in flight or lost when a process ended, ``waiting`` those in batch files. Tokens and dollars
    include failed calls; ``unpriced`` counts the calls whose price was unknown.
    """

    step: str
    model: str
    calls: int = 0
    hits: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    asking: int = 0
    waiting: int = 0
    prompt: int = 0
    cached: int = 0
    output: int = 0
    dollars: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """Lines by step and model, with totals.

    ``dollars_a_question`` is None if the number of questions is unknown, nothing was paid, or a price is unknown.
    """

    lines: tuple[CallLine, ...]
    dollars: float
    unpriced: int
    dollars_a_question: float | None = None


SUMS = ("prompt", "cached", "output", "dollars", "unpriced")
# columns: step, model, status or kind, rows, tokens (three), dollars, rows without a price
KEPT_SUMS = """SELECT step, model, status, count(*), sum(prompt), sum(cached), sum(output), sum(dollars),
sum(status = 'done' AND dollars IS NULL) FROM calls GROUP BY step, model, status"""
FAILED_SUMS = """SELECT step, model, kind, count(*), sum(prompt), sum(cached), sum(output), sum(dollars),
sum(dollars IS NULL AND prompt + output > 0) FROM failures GROUP BY step, model, kind"""


def summary(store: CallStore, *, questions: int | None = None) -> Summary:
    """Summarise a call store; ``questions`` is the number of kept questions that its calls led to."""
    store.write(())
    lines: dict[tuple[str, str], CallLine] = {}

    def line_of(step: str, model: str) -> CallLine:
        return lines.setdefault((step, model), CallLine(step, model))

    for row in store.reader.execute(KEPT_SUMS):
        line, status, count = line_of(row[0], row[1]), row[2], row[3]
        name = "calls" if status == "done" else status
        setattr(line, name, getattr(line, name) + count)
        _add(line, row)
    for row in store.reader.execute(FAILED_SUMS):
        line = line_of(row[0], row[1])
        line.failures[row[2]] = row[3]
        _add(line, row)
    for step, model, count in store.reader.execute("SELECT step, model, count FROM hits"):
        line_of(step, model).hits = count
    ordered = tuple(lines[place] for place in sorted(lines))
    dollars = sum(line.dollars for line in ordered)
    unpriced = sum(line.unpriced for line in ordered)
    return Summary(ordered, dollars, unpriced, dollars_each(dollars, questions, unpriced=unpriced))


def _add(line: CallLine, row: Sequence[Any]) -> None:
    for name, value in zip(SUMS, row[4:], strict=True):
        setattr(line, name, getattr(line, name) + (value or 0))


WAITING = """SELECT batch, step, count(*) FROM calls WHERE status = 'waiting' GROUP BY batch, step
ORDER BY batch, count(*) DESC, step"""


def waiting_calls(store: CallStore) -> dict[str, dict[str, int]]:
    """Count waiting calls by batch file and by step, largest count first."""
    files: dict[str, dict[str, int]] = {}
    for name, step, count in store.reader.execute(WAITING):
        files.setdefault(name, {})[step] = count
    return files


MOST_SHOWN = 200  # characters of a reply
LAST = "SELECT at, step, model, kind, said, raw, key FROM failures ORDER BY at DESC, rowid DESC LIMIT ?"


class FailedCall(NamedTuple):
    """Failed call: its time, step, model and kind of failure.

    ``message`` is the endpoint's message and ``reply`` the start of its reply, each one line of at most 200 characters.
    ``call`` is the call's hash in the store.
    """

    at: str
    step: str
    model: str
    kind: str
    message: str
    reply: str
    call: str


def failed_calls(store: CallStore, *, limit: int) -> list[FailedCall]:
    """List the most recent failures, newest first, one entry per try."""
    rows = store.reader.execute(LAST, (limit,)).fetchall()
    return [
        FailedCall(_time(at), step, model, kind, one_line(message), _line(shown_text(raw or b"")), key)
        for at, step, model, kind, message, raw, key in rows
    ]


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _line(text: str) -> str:
    return " ".join(text[: 4 * MOST_SHOWN].split())[:MOST_SHOWN]
