"""Summary of a workspace's calls: counts and costs by step and model, and the most recent failures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from kbe_graph.models.call_store import CallStore
from kbe_graph.models.cost import dollars_each
from kbe_graph.models.reply import one_line, shown_text


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
