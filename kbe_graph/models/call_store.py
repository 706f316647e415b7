"""SQLite cache of a workspace's calls, keyed by a hash of their content, and the summary of what it holds."""

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from kbe_graph.brief import brief
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
MOST_SHOWN = 200  # characters of a reply

MARK = """INSERT INTO calls (key, step, model, url, status, batch, at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = excluded.status, batch = excluded.batch, at = excluded.at"""
DONE = """INSERT INTO calls (key, step, model, url, status, raw, prompt, cached, output, dollars, at)
VALUES (?, ?, ?, ?, 'done', ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = 'done', raw = excluded.raw, prompt = excluded.prompt, cached = excluded.cached,
output = excluded.output, dollars = excluded.dollars, at = excluded.at"""
FAILED = """INSERT INTO failures (key, step, model, kind, said, raw, prompt, cached, output, dollars, at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
FORGET = "DELETE FROM calls WHERE key = ?"
# a call is given up at its last failure: the number of that row, as clocks are set back
GIVEN_UP = "INSERT OR REPLACE INTO given_up SELECT ?1, coalesce(max(rowid), 0) FROM failures WHERE key = ?1"
TRIED = """SELECT kind, count(*) FROM failures
WHERE key = ?1 AND rowid > coalesce((SELECT at FROM given_up WHERE key = ?1), 0) GROUP BY kind"""
HIT = "INSERT INTO hits VALUES (?, ?, ?) ON CONFLICT (step, model) DO UPDATE SET count = count + excluded.count"
SUMS = """SELECT step, model, sum(calls), sum(hits), sum(asking), sum(waiting), sum(prompt), sum(cached), sum(output),
coalesce(sum(dollars), 0.0), sum(unpriced) FROM (
SELECT step, model, status = 'done' AS calls, 0 AS hits, status = 'asking' AS asking, status = 'waiting' AS waiting,
prompt, cached, output, dollars, status = 'done' AND dollars IS NULL AS unpriced FROM calls
UNION ALL SELECT step, model, 0, 0, 0, 0, prompt, cached, output, dollars, dollars IS NULL AND prompt + output > 0
FROM failures
UNION ALL SELECT step, model, 0, count, 0, 0, 0, 0, 0, 0, 0 FROM hits) GROUP BY step, model ORDER BY step, model"""
KINDS = "SELECT kind, count(*) FROM failures WHERE step = ? AND model = ? GROUP BY kind"
WAITING = """SELECT batch, step, count(*) FROM calls WHERE status = 'waiting' GROUP BY batch, step
ORDER BY batch, count(*) DESC, step"""
LAST = """SELECT at, step, model, kind, said, raw, key FROM failures
WHERE rowid IN (SELECT max(rowid) FROM failures GROUP BY key, kind, said) ORDER BY at DESC, rowid DESC LIMIT ?"""


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
    """Cost of a call: tokens and dollars (None if the price, or what a lost call cost, is unknown)."""

    usage: Usage = Usage()
    dollars: float | None = 0.0


def cost_of(call: Call, usage: Usage, *, batch: bool = False) -> Cost:
    """Calculate the cost of a call with this usage."""
    price = call.settings.price
    return Cost(usage, price.dollars(usage, batch=batch) if price else None)


class CallStore:
    """File-based call store, safe for several processes at once; close it at the end.

    A call is marked before it is sent, and its reply is written to the file before anything else sees it. After a
    crash, only the calls still marked ``asking`` may have been paid for without a stored reply.
    """

    def __init__(self, file: Path) -> None:
        private_folder(file.parent)
        self.file = file
        self.database = connect(file)
        self.database.executescript(data("calls.sql").read_text(encoding="utf-8"))
        self._hits: Counter[tuple[str, str]] = Counter()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all that is written within the context, or nothing after an error; raises ResourceError."""
        with self.database:
            self.database.execute("BEGIN IMMEDIATE")
            yield

    def get(self, key: str) -> KeptCall | None:
        """Look up a call, complete or not; None if it was never made."""
        row = self.database.execute(
            "SELECT step, model, status, url, raw, prompt, cached, output, dollars FROM calls WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            return None
        step, model, status, url, raw, *tokens, dollars = row
        return KeptCall(step, model, status, raw or b"", Usage(*tokens), dollars, url)

    def reply(self, call: Call, check: Check | None = None) -> Reply | None:
        """Return the stored reply to a call, if any; raises CallFailed for one that ``check`` no longer accepts.

        Such a reply is moved to the failures.
        """
        kept = self.get(call.key)
        if kept is None or kept.status != "done":
            return None
        try:
            reply = call.read(kept.raw, check, usage=kept.usage, cached=True)
        except CallFailed as failed:
            with self.transaction():
                self.keep_failure(call, failed, Cost(kept.usage, kept.dollars))
            raise
        self._hits[call.request.step, call.settings.model] += 1
        return reply

    def failures(self, key: str) -> int:
        """Count the unusable replies to a call."""
        count: int = self.database.execute("SELECT count(*) FROM failures WHERE key = ?", (key,)).fetchone()[0]
        return count

    def has_replied(self, url: str, *, step: str | None = None) -> bool:
        """Return True if the endpoint has ever given a complete reply, for ``step`` or for any step."""
        query = "SELECT 1 FROM calls WHERE url = ? AND status = 'done' AND step = coalesce(?, step) LIMIT 1"
        return bool(self.database.execute(query, (url, step)).fetchone())

    def asked_model(self, key: str) -> str:
        """Return the name by which a call asked its model, also if it failed; empty for an unknown call."""
        query = "SELECT model FROM calls WHERE key = ?1 UNION SELECT model FROM failures WHERE key = ?1"
        return str((self.database.execute(query, (key,)).fetchone() or ("",))[0])

    def addresses(self, step: str, model: str) -> dict[str, int]:
        """Count the kept replies of a model to a step by the address that gave them."""
        query = "SELECT url, count(*) FROM calls WHERE model = ? AND step = ? AND status = 'done' GROUP BY url"
        return dict(self.database.execute(query, (model, step)).fetchall())

    def has_asked(self, model: str) -> bool:
        """Return True if a model of this name has ever replied."""
        return bool(self.database.execute("SELECT 1 FROM calls WHERE model = ? LIMIT 1", (model,)).fetchone())

    def mark(self, call: Call, status: str, batch: str = "") -> None:
        """Mark a call as ``asking``, or as ``waiting`` in the named batch file."""
        self.database.execute(MARK, (*_place(call), status, batch, time.time()))

    def keep_reply(self, call: Call, raw: bytes, cost: Cost) -> None:
        """Store a complete reply; raises ResourceError."""
        self.database.execute(DONE, (*_place(call), raw, *cost.usage, cost.dollars, time.time()))

    def keep_failure(self, call: Call, failure: CallFailed, cost: Cost) -> None:
        """Store a failure in its own table, and remove the mark of its call; raises ResourceError."""
        key, step, model, _ = _place(call)
        message, raw = without_surrogates(failure.message[:2000]), failure.raw[:MOST_RAW]
        values = (key, step, model, failure.kind, message, raw, *cost.usage, cost.dollars, time.time())
        self.database.execute(FAILED, values)
        self.database.execute(FORGET, (key,))

    def give_up(self, *keys: str) -> None:
        """Give up calls: the next command has all their tries again."""
        self.database.executemany(GIVEN_UP, [(key,) for key in keys])

    def refuses_format(self, url: str, model: str) -> bool:
        """Return True if an endpoint and model were found not to accept a ``response_format``."""
        query = "SELECT capabilities FROM probes WHERE url = ? AND model = ?"
        row = self.database.execute(query, (url, model)).fetchone()
        return bool(row) and json.loads(row[0]).get("json_schema") is False

    def keep_refused_format(self, url: str, model: str) -> None:
        """Store that an endpoint and model do not accept a ``response_format``."""
        values = (url, model, json.dumps({"json_schema": False}), time.time())
        self.database.execute("INSERT OR REPLACE INTO probes VALUES (?, ?, ?, ?)", values)

    def tries(self, key: str) -> Counter[str]:
        """Count a call's failures since it was last given up, by kind."""
        return Counter(dict(self.database.execute(TRIED, (key,)).fetchall()))

    def error_if_tried_out(self, call: Call, tries: Mapping[str, int], *, most: int = 1 << 20) -> KbeError | None:
        """Return the last error of a call that has used up its tries, at most ``most`` of each kind; None otherwise."""
        if not any(count >= min(most, TRIES.get(kind, 1)) for kind, count in tries.items()):
            return None
        query = "SELECT kind, said FROM failures WHERE key = ? ORDER BY rowid DESC LIMIT 1"
        return call.error(CallFailed(*self.database.execute(query, (call.key,)).fetchone()))

    def write_hits(self) -> None:
        """Write the cache hits counted so far."""
        self.database.executemany(HIT, [(*place, count) for place, count in self._hits.items()])
        self._hits.clear()

    def close(self) -> None:
        """Write the hits and close the file."""
        self.write_hits()
        self.database.close()


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


def _place(call: Call) -> tuple[str, str, str, str]:
    return call.key, call.request.step, call.settings.model, call.settings.base_url


@dataclass(frozen=True, slots=True)
class CallLine:
    """Totals for one step and model: replies, cache hits, failures by kind, tokens and dollars.

    ``asking`` counts calls in flight or lost when a process ended, ``waiting`` those in batch files. Tokens and dollars
    include failed calls; ``unpriced`` counts the calls whose price was unknown.
    """

    failures: Mapping[str, int]
    step: str
    model: str
    calls: int
    hits: int
    asking: int
    waiting: int
    prompt: int
    cached: int
    output: int
    dollars: float
    unpriced: int


@brief("dollars dollars_a_question unpriced", table="lines: step model calls hits dollars")
@dataclass(frozen=True, slots=True)
class Summary:
    """Lines by step and model, with totals.

    ``dollars_a_question`` is None if the number of questions is unknown, nothing was paid, or a price is unknown.
    """

    lines: tuple[CallLine, ...]
    dollars: float
    unpriced: int
    dollars_a_question: float | None = None


def summary(store: CallStore, *, questions: int | None = None) -> Summary:
    """Summarise a call store; ``questions`` is the number of kept questions that its calls led to."""
    store.write_hits()
    execute = store.database.execute
    lines = tuple(CallLine(dict(execute(KINDS, row[:2]).fetchall()), *row) for row in execute(SUMS).fetchall())
    dollars, unpriced = sum(line.dollars for line in lines), sum(line.unpriced for line in lines)
    return Summary(lines, dollars, unpriced, dollars_each(dollars, questions, unpriced=unpriced))


def waiting_calls(store: CallStore) -> dict[str, dict[str, int]]:
    """Count waiting calls by batch file and by step, largest count first."""
    files: dict[str, dict[str, int]] = {}
    for name, step, count in store.database.execute(WAITING):
        files.setdefault(name, {})[step] = count
    return files


@brief()
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
    calls = []
    for at, step, model, kind, message, raw, key in store.database.execute(LAST, (limit,)):
        time_, reply = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds"), shown_text(raw or b"")
        shown = " ".join(reply[: 4 * MOST_SHOWN].split())[:MOST_SHOWN]
        calls.append(FailedCall(time_, step, model, kind, one_line(message), shown, key))
    return calls
