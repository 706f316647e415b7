"""Batches: calls written to files, one wave at a time, sent by a provider's batch endpoint or by a person.

A wave holds every call that the run can make with the replies received so far. Each model has files of its own, in the
provider's format and within its limits, as providers require.
"""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kbe_graph.errors import ConfigError, DatasetError, ModelError, ReplyAwaited, ReplyError
from kbe_graph.files.opening import sha256_of, text_lines
from kbe_graph.files.whole import private_file, private_folder
from kbe_graph.models.call_store import CallStore, cost_of
from kbe_graph.models.images import Images
from kbe_graph.models.reply import CallFailed, failure_of_status
from kbe_graph.models.request import FORMAT, Call, Check, Reply, Request, call_of, request_body
from kbe_graph.models.settings import ModelBook, ModelSettings
from kbe_graph.models.transport import address_of
from kbe_graph.secret import named_secrets

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Batch

MOST_LINES, MOST_BYTES = 50_000, 190_000_000  # per file: OpenAI accepts 50,000 lines and 200 MB
MOST_WAVES = 7  # per call, for faults that the direct runner retries until its patience runs out
ENDED = ("completed", "expired", "cancelled", "failed")
Answer = TypeVar("Answer")


class FileModel:
    """Model that writes requests to the files of one wave and answers from the call store.

    ``close`` ends the wave. Only then do its calls count as waiting, so an interrupted wave is written again.
    """

    def __init__(self, book: ModelBook, store: CallStore, folder: Path, *, images: Images | None = None) -> None:
        self._book, self._store, self._folder = book, store, folder
        self._images = images or Images()
        self._calls: dict[str, Call] = {}
        self._given_up: set[str] = set()

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return the stored reply to a request; see ``Model``.

        Raises ReplyAwaited if the call is part of this or an earlier wave. A call that has used up its tries is given
        up.
        """
        call = call_of(request, self._book.settings_for(request.step), self._images)
        if names := named_secrets(call.settings.body):
            raise ConfigError(
                f"[models] body {names[0]!r} would be stored in a batch file; move it to [models] headers"
            )
        try:
            if reply := self._store.reply(call, check):
                return reply
        except CallFailed:
            pass  # it is a failure now, and asked for again
        kept = self._store.get(call.key)
        if kept is None or kept.status != "waiting":
            self._refuse_tried_out(call)
            for path in request.images:  # reject an invalid image now, not when the file is written
                self._images.uri(path, call.settings.encoding)
            self._calls[call.key] = call
        raise ReplyAwaited(call.key)

    def close(self, *, lines: int = MOST_LINES, size: int = MOST_BYTES) -> tuple[Path, ...]:
        """End the wave: write its files, each of one model and at most ``lines`` calls and ``size`` bytes."""
        waves: dict[str, list[Call]] = {}
        for call in self._calls.values():
            waves.setdefault(call.settings.model, []).append(call)
        private_folder(self._folder)
        matches = (re.match(r"wave-(\d+)-.*\.jsonl$", file.name) for file in self._folder.iterdir())
        first = max((int(match[1]) for match in matches if match), default=0) + 1
        return tuple(
            self._write(self._folder / f"wave-{number:04}-{_slug(model)}.jsonl", part)
            for model, calls in sorted(waves.items())
            for number, part in enumerate(self._parts(calls, lines, size), first)
        )

    def settle(self) -> None:
        """End the run: calls that were given up get all their tries back in the next one."""
        self._store.give_up(*sorted(self._given_up))

    def _refuse_tried_out(self, call: Call) -> None:
        error = self._store.error_if_tried_out(call, self._store.tries(call.key), most=MOST_WAVES)
        if error is None:
            return
        if not isinstance(error, ReplyError):
            self._store.give_up(call.key)
        self._given_up.add(call.key)
        raise error

    def _parts(self, calls: Iterable[Call], lines: int, size: int) -> Iterator[dict[str, bytes]]:
        part: dict[str, bytes] = {}
        filled = 0
        for call in calls:
            line = self._line(call)
            if part and (len(part) == lines or filled + len(line) > size):
                yield part
                part, filled = {}, 0
            part[call.key] = line
            filled += len(line)
        yield part

    def _write(self, file: Path, part: dict[str, bytes]) -> Path:
        temporary = file.with_suffix(".part")
        private_file(temporary).write_bytes(b"".join(part.values()))
        temporary.replace(file)
        with self._store.transaction():
            for key in part:
                self._store.mark(self._calls[key], "waiting", file.name)
        return file

    def _line(self, call: Call) -> bytes:
        request, settings = call.request, call.settings
        uris = [self._images.uri(path, settings.encoding) for path in request.images]
        drop = (FORMAT,) if self._store.refuses_format(settings.base_url, settings.model) else ()
        body = request_body(request, settings, uris, shift=self._store.failures(call.key), drop=drop)
        line = {"custom_id": call.key, "method": "POST", "url": "/v1/chat/completions", "body": body}
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def _slug(model: str) -> str:
    return re.sub(r"[^\w.-]+", "-", model)


class AppliedReplies(NamedTuple):
    """Counts for an imported file of replies: complete replies, failures, and replies that were already stored."""

    done: int
    failed: int
    known: int


def apply_replies(file: Path, book: ModelBook, store: CallStore) -> AppliedReplies:
    """Store a provider's file of replies in one transaction; calls missing from the file keep waiting.

    If no model is set, the one that the call was written for is used. Raises DatasetError, with the line number, for a
    line that is not a reply and for a call that was never written to a batch file.
    """
    done = failed = known = 0
    with store.transaction():
        for number, text in text_lines(file):
            if not text.strip():
                continue
            try:
                key, status, raw = _read_line(text)
            except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
                problem = (
                    "not a reply; a line needs custom_id, and either response (with status_code and body) or error"
                )
                raise DatasetError(file, problem, line=number) from None
            if (kept := store.get(key)) is None:
                problem = f"no call {key[:12]!r} is waiting in this workspace; does the file belong to another one?"
                raise DatasetError(file, problem, line=number)
            if kept.status == "done":
                known += 1
                continue
            settings = book.with_place(kept.url, kept.model).settings_for(kept.step)
            if settings.model != kept.model:
                raise ConfigError(
                    f"step {kept.step!r} is set to {settings.model!r}, but the call was written for {kept.model!r}"
                )
            call, raw = Call(key, Request(kept.step, ()), settings), settings.secrets.hide(raw)
            try:
                if status != 200:
                    raise failure_of_status(status, {}, raw)
                store.keep_reply(call, raw, cost_of(call, call.read(raw).usage, batch=True))
                done += 1
            except CallFailed as failure:
                store.keep_failure(call, failure, cost_of(call, failure.usage, batch=True))
                failed += 1
    return AppliedReplies(done, failed, known)


def _read_line(text: str) -> tuple[str, int, bytes]:
    """Read the call, the status and the body of a line; raises many errors for a line of another kind."""
    line = json.loads(text)
    response, error = line.get("response"), line.get("error")
    if response is None and error is not None:
        return str(line["custom_id"]), 408, json.dumps({"error": error}).encode()
    return str(line["custom_id"]), int(response["status_code"]), json.dumps(response["body"]).encode()


async def run_batches(
    step: str, book: ModelBook, store: CallStore, folder: Path, *, every: float = 30.0
) -> AppliedReplies:
    """Send the waiting waves of one step's model, wait for all open batches, store their replies, return the counts.

    ``folder`` holds the waves and the files that were received; ``every`` is the polling interval in seconds. Each
    batch is recorded in the store and, by the hash of its file, at the provider, so that an interrupted run resumes
    waiting and sends nothing twice. Calls without a reply go into the next wave. Raises ModelError for a batch that the
    provider rejected.
    """
    settings, execute = book.settings_for(step), store.database.execute
    settings.require_key()
    async with _client(settings) as client:
        await _send(settings, client, store, folder)
        opened = execute(
            "SELECT id, file FROM batches WHERE url = ? AND model = ? AND status = 'open' ORDER BY at, id",
            (settings.base_url, settings.model),
        )
        applied = AppliedReplies(0, 0, 0)
        for id_, sent in opened.fetchall():
            while True:
                batch = await _result_of(settings, client.batches.retrieve(id_))
                if batch.status in ENDED:
                    break
                await asyncio.sleep(every)
            for place, name in (("replies", batch.output_file_id), ("errors", batch.error_file_id)):
                if name:
                    content = await _result_of(settings, client.files.content(name))
                    received = private_file(folder / f"{Path(sent).stem}-{place}.received")
                    received.write_bytes(settings.secrets.hide(content.content))
                    counts = apply_replies(received, book, store)
                    applied = AppliedReplies(*map(sum, zip(applied, counts, strict=True)))
            _close(store, id_, Path(sent), "failed" if batch.status == "failed" else "done")
            if batch.status == "failed":
                raise ModelError(settings.secrets.hide(_refused(batch)))
    return applied


def _client(settings: ModelSettings) -> "AsyncOpenAI":
    from openai import AsyncOpenAI, DefaultAioHttpClient

    url, query, headers = address_of(settings)
    return AsyncOpenAI(
        api_key=settings.key or "none",
        base_url=url,
        default_query=query,
        default_headers=headers,
        timeout=settings.timeout,
        http_client=DefaultAioHttpClient(follow_redirects=False),  # a redirect would take the key along
    )


async def _send(settings: ModelSettings, client: "AsyncOpenAI", store: CallStore, folder: Path) -> None:
    execute = store.database.execute
    for (name,) in execute("SELECT DISTINCT batch FROM calls WHERE status = 'waiting' ORDER BY batch").fetchall():
        file, row = folder / name, "SELECT 1 FROM batches WHERE file = ?"
        if name.endswith(f"-{_slug(settings.model)}.jsonl") and not execute(row, (str(file),)).fetchone():
            id_ = settings.secrets.hide(await _result_of(settings, _start(client, file, sha256_of(file))))
            values = (id_, settings.base_url, settings.model, str(file), time.time())
            execute("INSERT INTO batches VALUES (?, ?, ?, ?, 'open', ?)", values)


def _refused(batch: "Batch") -> str:
    errors = batch.errors.data or [] if batch.errors else []
    message = "; ".join(error.message or "" for error in errors) or "no reason given"
    return f"the provider refused batch {batch.id!r} ({message}); its calls are sent again"


async def _start(client: "AsyncOpenAI", file: Path, digest: str) -> str:
    async for batch in client.batches.list(limit=100):
        if (batch.metadata or {}).get("file") == digest:
            return batch.id
    sent = await client.files.create(file=file, purpose="batch")
    started = await client.with_options(max_retries=0).batches.create(
        input_file_id=sent.id,
        endpoint="/v1/chat/completions",
        completion_window="24h",
        metadata={"file": digest},
    )
    return started.id


def _close(store: CallStore, id_: str, sent: Path, status: str) -> None:
    with store.transaction():
        for _, line in text_lines(sent):
            values = (json.loads(line)["custom_id"],)
            store.database.execute("DELETE FROM calls WHERE key = ? AND status = 'waiting'", values)
        store.database.execute("UPDATE batches SET status = ? WHERE id = ?", (status, id_))


async def _result_of(settings: ModelSettings, reply: Awaitable[Answer]) -> Answer:
    """Await a reply of the provider, and translate its errors."""
    from aiohttp import ClientError
    from openai import APIStatusError, OpenAIError

    hide = settings.secrets.hide
    try:
        return await reply
    except APIStatusError as error:
        failed = failure_of_status(error.status_code, error.response.headers, hide(error.response.content))
    except (OpenAIError, ClientError, ValueError, TypeError, AttributeError) as error:  # odd replies too
        failed = CallFailed("connection", hide(f"{error} {error.__cause__ or ''}"))
    raise failed.error(model=settings.model, url=settings.base_url, step=settings.step, is_down=True)
