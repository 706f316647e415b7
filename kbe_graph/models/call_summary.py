"""The calls of a workspace: counts and costs by step and model, and the last that failed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from kbe_graph.models.call_store import CallStore
from kbe_graph.models.completion import read_text
from kbe_graph.models.cost import dollars_each
from kbe_graph.models.failures import one_line


@dataclass(slots=True)
class CallLine:
    """One step and model: replies kept, hits (not paid again), failures by kind, attempts, tokens, dollars.

    ``asking`` counts calls in flight or cut off by the end of a process, ``waiting`` those in batch files. Tokens and
    dollars are of replies and failures alike; ``unpriced`` counts the calls among them whose price was unknown.
    """

    step: str
    model: str
    calls: int = 0
    hits: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    asking: int = 0
    waiting: int = 0
    attempts: int = 0
    prompt: int = 0
    cached: int = 0
    output: int = 0
    dollars: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """The lines by step and model, with their totals.

    ``dollars_a_question`` is None without a count of questions, and where nothing was paid or a price is unknown.
    """

    lines: tuple[CallLine, ...]
    dollars: float
    unpriced: int
    dollars_a_question: float | None = None


SUMS = ("attempts", "prompt", "cached", "output", "dollars", "unpriced")
# each gives step, model, status or kind, rows, attempts, tokens, dollars, rows without a price
KEPT = """SELECT step, model, status, count(*), sum(attempts), sum(prompt), sum(cached), sum(output), sum(dollars),
sum(status = 'done' AND dollars IS NULL) FROM calls GROUP BY step, model, status"""
FAILED = """SELECT step, model, kind, count(*), sum(attempts), sum(prompt), sum(cached), sum(output), sum(dollars),
sum(dollars IS NULL AND prompt + output > 0) FROM failures GROUP BY step, model, kind"""


def summary(store: CallStore, *, questions: int | None = None) -> Summary:
    """Sum up a call store; ``questions`` is the count of kept questions that its calls led to."""
    store.write(())
    lines: dict[tuple[str, str], CallLine] = {}

    def line_of(step: str, model: str) -> CallLine:
        """Return the line of a step and model, a new one if there is none."""
        return lines.setdefault((step, model), CallLine(step, model))

    for row in store.reader.execute(KEPT):
        line, status, count = line_of(row[0], row[1]), row[2], row[3]
        name = "calls" if status == "done" else status
        setattr(line, name, getattr(line, name) + count)
        _add(line, row)
    for row in store.reader.execute(FAILED):
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
    """Count the calls that wait for replies, by the name of their batch file and by step, the most first."""
    files: dict[str, dict[str, int]] = {}
    for name, step, count in store.reader.execute(WAITING):
        files.setdefault(name, {})[step] = count
    return files


MOST = 200  # characters of a reply
LAST = "SELECT at, step, model, kind, said, raw, key FROM failures ORDER BY at DESC, rowid DESC LIMIT ?"


class FailedCall(NamedTuple):
    """A call that failed: its time, step, model and kind of failure.

    ``message`` is the endpoint's and ``reply`` the start of its reply, each one line of at most 200 characters.
    ``call`` is the hash that the call is kept under.
    """

    at: str
    step: str
    model: str
    kind: str
    message: str
    reply: str
    call: str


def failed_calls(store: CallStore, *, limit: int) -> list[FailedCall]:
    """Return the last calls that failed, the newest first, each try of its own."""
    rows = store.reader.execute(LAST, (limit,)).fetchall()
    return [
        FailedCall(_time(at), step, model, kind, one_line(message), _line(read_text(raw or b"")), key)
        for at, step, model, kind, message, raw, key in rows
    ]


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _line(text: str) -> str:
    return " ".join(text[: 4 * MOST].split())[:MOST]
