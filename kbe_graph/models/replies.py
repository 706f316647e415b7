"""Takes the replies of a batch file back into the call store."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import ConfigError, DatasetError
from kbe_graph.files.opening import text_lines
from kbe_graph.models.call_store import FORGET, CallStore, Cost, done_row, failure_rows
from kbe_graph.models.completion import read_completion
from kbe_graph.models.failures import CallFailed, failure_of_status
from kbe_graph.models.lessons import Lessons
from kbe_graph.models.request import Request, Usage
from kbe_graph.models.settings import Capabilities, ModelBook, ModelSettings
from kbe_graph.models.wire import Call
from kbe_graph.models.writer import SqlWrite


class AppliedReplies(NamedTuple):
    """What a file of replies held: whole replies, failures, and replies that had been kept before."""

    done: int
    failed: int
    known: int


class _Line(NamedTuple):
    call: Call
    raw: bytes
    failure: CallFailed | None


class _WaveLessons:
    """Learns from a wave what the endpoint does not take: the calls that were refused for it go again without it."""

    def __init__(self, store: CallStore) -> None:
        self._lessons = Lessons(store)
        self._sent: dict[str, Capabilities] = {}

    def learn(self, line: _Line) -> bool:
        """Return whether a line's call is to be sent again in another form."""
        settings = line.call.settings
        sent = self._sent.setdefault(settings.step, self._lessons.capabilities(settings))
        return line.failure is not None and self._lessons.learn(settings, line.failure, sent)


def apply_replies(file: Path, book: ModelBook, store: CallStore) -> AppliedReplies:
    """Take a provider's file of replies into the store, all of it or nothing; calls it does not name go on waiting.

    Raises DatasetError, with the line, for a line that is no reply and for a call that was never written to a batch
    file.
    """
    earlier, rows, lessons = 0, list[SqlWrite](), _WaveLessons(store)
    lines = list(_lines(file, book, store))
    for line in lines:
        kept = store.get(line.call.key)
        if kept and kept.status == "done":
            earlier += 1
        elif lessons.learn(line):
            rows.append(SqlWrite(FORGET, (line.call.key,)))
        else:
            rows += _rows(line)
    store.write(rows)
    failures = sum(line.failure is not None for line in lines)
    return AppliedReplies(len(lines) - earlier - failures, failures, earlier)


def _lines(file: Path, book: ModelBook, store: CallStore) -> Iterator[_Line]:
    seen: set[str] = set()
    for number, text in text_lines(file):
        if not text.strip():
            continue
        line = _line(file, number, text, book, store)
        if line.call.key in seen:
            raise DatasetError(file, f"call {line.call.key[:12]!r} is there twice; keep one of the lines", line=number)
        seen.add(line.call.key)
        yield line


def _line(file: Path, number: int, text: str, book: ModelBook, store: CallStore) -> _Line:
    try:
        body = json.loads(text)
        key, response, error = str(body["custom_id"]), body.get("response"), body.get("error")
        status, answer = _answer(response, error)
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise DatasetError(
            file, "not a reply; a line holds custom_id, and response with status_code and body, or error", line=number
        ) from None
    kept = store.get(key)
    if kept is None:
        raise DatasetError(
            file, f"no call {key[:12]!r} waits in this workspace; is the file of another one", line=number
        )
    call = Call(key, Request(kept.step, ()), _settings(book, kept.step, kept.model))
    answer = call.settings.secrets.hide(answer)
    return _Line(call, answer, _failure(status, answer))


def _answer(response: Any, error: Any) -> tuple[int, bytes]:
    """Return status and body of a line; an error without an answer (an expired call) counts as a 408."""
    if response is None and error is not None:
        return 408, json.dumps({"error": error}).encode()
    return int(response["status_code"]), json.dumps(response["body"]).encode()


def _settings(book: ModelBook, step: str, model: str) -> ModelSettings:
    settings = book.settings_for(step)
    if settings.model != model:
        raise ConfigError(f"step {step!r} is set to {settings.model!r}, and the call was written for {model!r}")
    return settings


def _failure(status: int, raw: bytes) -> CallFailed | None:
    if status != 200:
        return failure_of_status(status, {}, raw)
    try:
        read_completion(raw)
    except CallFailed as failure:
        return failure
    return None


def _rows(line: _Line) -> tuple[SqlWrite, ...]:
    price = line.call.settings.price
    usage = line.failure.usage if line.failure else read_completion(line.raw).usage or Usage()
    cost = Cost(usage, price.dollars(usage, batch=True) if price else None)
    return failure_rows(line.call, line.failure, cost) if line.failure else (done_row(line.call, line.raw, cost),)
