"""Batches: calls written to files, one wave at a time, sent by a provider's batch endpoint or by a person.

A wave holds every call that the run can make with the replies received so far. Each model has its own file, as
providers require. A wave refers to images by address and hash; they become data URIs when the file is prepared for
sending.
"""

import asyncio
import hashlib
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from kbe_graph.errors import ConfigError, DatasetError, ModelError, ReplyAwaited, ReplyError
from kbe_graph.files.opening import text_lines
from kbe_graph.files.whole import private_file, private_folder
from kbe_graph.models.call_store import CallStore, Cost, SqlWrite, done_row, failure_rows, given_up_row, mark_row
from kbe_graph.models.images import Encoding, Images
from kbe_graph.models.reply import CallFailed, failure_of_status
from kbe_graph.models.request import FORMAT, Call, Check, Reply, Request, call_of, request_body
from kbe_graph.models.settings import ModelBook
from kbe_graph.models.transport import Endpoint
from kbe_graph.secret import named_secrets

if TYPE_CHECKING:
    from openai.types import Batch

MOST_LINES, MOST_BYTES = 50_000, 190_000_000  # per file to send: OpenAI accepts 50,000 lines and 200 MB
MOST_WAVES = 7  # per call, for faults that the direct runner retries until its patience runs out
ENDED = ("completed", "expired", "cancelled")
Answer = TypeVar("Answer")
_PICTURE = re.compile(r"(?P<address>file://.*)#sha256:(?P<hash>\w{64}):(?P<side>\d+):(?P<quality>\d+)")


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
        if reply := await self._store.reply(call, check):
            return reply
        kept = self._store.get(call.key)
        if kept is None or kept.status != "waiting":
            self._refuse_tried_out(call)
            for path in request.images:  # reject an invalid image now, not when the file is sent
                self._images.uri_now(path, call.settings.encoding)
            self._calls[call.key] = call
        raise ReplyAwaited(call.key)

    def close(self) -> tuple[Path, ...]:
        """End the wave: write its files, one per model, and return their paths."""
        waves: dict[str, list[Call]] = {}
        for call in self._calls.values():
            waves.setdefault(call.settings.model, []).append(call)
        private_folder(self._folder)
        matches = (re.match(r"wave-(\d+)-.*\.jsonl$", file.name) for file in self._folder.iterdir())
        number = max((int(match[1]) for match in matches if match), default=0) + 1
        return tuple(self._write(number, model, calls) for model, calls in sorted(waves.items()))

    def settle(self) -> None:
        """End the run: calls that were given up get all their tries back in the next one."""
        self._store.write(map(given_up_row, sorted(self._given_up)))

    def _refuse_tried_out(self, call: Call) -> None:
        error = self._store.error_if_tried_out(call, self._store.tries(call.key), most=MOST_WAVES)
        if error is None:
            return
        if not isinstance(error, ReplyError):
            self._store.write([given_up_row(call.key)])
        self._given_up.add(call.key)
        raise error

    def _write(self, number: int, model: str, calls: list[Call]) -> Path:
        file = self._folder / f"wave-{number:04}-{_slug(model)}.jsonl"
        temporary = file.with_suffix(".part")
        with private_file(temporary).open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(self._line(call), ensure_ascii=False) + "\n" for call in calls)
        temporary.replace(file)
        self._store.write(mark_row(call, "waiting", file.name) for call in calls)
        return file

    def _line(self, call: Call) -> dict[str, Any]:
        request, settings = call.request, call.settings
        addresses = [
            f"{path.absolute().as_uri()}#{self._images.name(path, settings.encoding)}" for path in request.images
        ]
        drop = (FORMAT,) if self._store.refuses_format(settings.base_url, settings.model) else ()
        body = request_body(request, settings, addresses, shift=self._store.failures(call.key), drop=drop)
        return {"custom_id": call.key, "method": "POST", "url": "/v1/chat/completions", "body": body}


def _slug(model: str) -> str:
    return re.sub(r"[^\w.-]+", "-", model)


def write_files_to_send(
    wave: Path, folder: Path, *, images: Images | None = None, lines: int = MOST_LINES, size: int = MOST_BYTES
) -> tuple[Path, ...]:
    """Write a wave's calls, with images as data URIs, to as many files as the provider's limits require.

    Raises DatasetError for a line that this program did not write, and for an image that has changed or cannot be read.
    """
    private_folder(folder)
    parts: list[Path] = []
    filled = count = 0
    for line in _lines_to_send(wave, images or Images()):
        if not parts or count == lines or filled + len(line) > size:
            parts.append(private_file(folder / f"{wave.stem}-{len(parts) + 1:03}.jsonl"))
            parts[-1].write_bytes(b"")
            filled = count = 0
        with parts[-1].open("ab") as stream:
            stream.write(line)
        filled += len(line)
        count += 1
    return tuple(parts)


def _lines_to_send(wave: Path, images: Images) -> Iterator[bytes]:
    for number, text in text_lines(wave):
        try:
            line = json.loads(text)
            for message in line["body"]["messages"]:
                for part in message["content"] if isinstance(message["content"], list) else ():
                    if part["type"] == "image_url":
                        part["image_url"]["url"] = _data_uri(part["image_url"]["url"], images)
        except (json.JSONDecodeError, KeyError, TypeError):
            raise DatasetError(
                wave, "not a line of a batch file; run the command that wrote it again", line=number
            ) from None
        yield json.dumps(line, ensure_ascii=False).encode() + b"\n"


def _data_uri(address: str, images: Images) -> str:
    picture = _PICTURE.fullmatch(address)
    if picture is None:
        return address
    path = Path(url2pathname(urlsplit(picture["address"]).path))
    if images.sha256(path) != picture["hash"]:
        raise DatasetError(path, "the picture has changed since the batch file was written; run the command again")
    return images.uri_now(path, Encoding(int(picture["side"]), int(picture["quality"])))


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
    rows: list[SqlWrite] = []
    done = failed = known = 0
    for number, text in text_lines(file):
        if not text.strip():
            continue
        try:
            body = json.loads(text)
            key, response, error = str(body["custom_id"]), body.get("response"), body.get("error")
            lost = response is None and error is not None
            status = 408 if lost else int(response["status_code"])
            raw = json.dumps({"error": error} if lost else response["body"]).encode()
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            problem = "not a reply; a line needs custom_id, and either response (with status_code and body) or error"
            raise DatasetError(file, problem, line=number) from None
        kept = store.get(key)
        if kept is None:
            problem = (
                f"no call {key[:12]!r} is waiting in this workspace; check whether the file belongs to another one"
            )
            raise DatasetError(file, problem, line=number)
        if kept.status == "done":
            known += 1
            continue
        settings = book.with_place(kept.url, kept.model).settings_for(kept.step)
        if settings.model != kept.model:
            problem = f"step {kept.step!r} is set to {settings.model!r}, but the call was written for {kept.model!r}"
            raise ConfigError(problem)
        call, raw = Call(key, Request(kept.step, ()), settings), settings.secrets.hide(raw)
        try:
            if status != 200:
                raise failure_of_status(status, {}, raw)
            rows.append(done_row(call, raw, _cost(call, call.read(raw))))
            done += 1
        except CallFailed as failure:
            rows += failure_rows(call, failure, _cost(call, failure))
            failed += 1
    store.write(rows)
    return AppliedReplies(done, failed, known)


def _cost(call: Call, reply: Reply | CallFailed) -> Cost:
    price = call.settings.price
    return Cost(reply.usage, price.dollars(reply.usage, batch=True) if price else None)


class BatchRunner:
    """Client for the batch endpoint of one step's model.

    ``folder`` holds the waves and the files that were sent or received. ``every`` is the polling interval in seconds.
    Each batch is recorded in the store and, by the hash of its file, at the provider. An interrupted run therefore
    resumes waiting and sends nothing twice.
    """

    def __init__(
        self,
        book: ModelBook,
        step: str,
        store: CallStore,
        folder: Path,
        *,
        images: Images | None = None,
        every: float = 30.0,
    ) -> None:
        self._book, self._store, self._folder, self._every = book, store, folder, every
        self._images = images or Images()
        self._settings = book.settings_for(step)
        self._endpoint = Endpoint(self._settings)

    async def run(self, *, lines: int = MOST_LINES, size: int = MOST_BYTES) -> AppliedReplies:
        """Send the waiting waves, wait for all open batches, store their replies and return the counts.

        A file to send holds at most ``lines`` calls and ``size`` bytes. Calls without a reply go into the next wave.
        Raises ModelError for a batch that the provider rejected.
        """
        rows = self._store.reader.execute("SELECT DISTINCT batch FROM calls WHERE status = 'waiting' ORDER BY batch")
        waves = [self._folder / name for (name,) in rows if name.endswith(f"-{_slug(self._settings.model)}.jsonl")]
        try:
            for wave in waves:
                parts = write_files_to_send(wave, self._folder / "sent", images=self._images, lines=lines, size=size)
                for file in parts:
                    await self._send(file)
            opened = self._store.reader.execute(
                "SELECT id, file FROM batches WHERE url = ? AND model = ? AND status = 'open' ORDER BY at, id",
                (self._settings.base_url, self._settings.model),
            )
            return _sum([await self._take_back(name, Path(file)) for name, file in opened.fetchall()])
        finally:
            await self._endpoint.close()

    async def _send(self, file: Path) -> None:
        if self._store.reader.execute("SELECT 1 FROM batches WHERE file = ?", (str(file),)).fetchone():
            return
        name = self._settings.secrets.hide(await self._ask(lambda: self._start(file, _digest(file))))
        values = (name, self._settings.base_url, self._settings.model, str(file), time.time())
        self._store.write([SqlWrite("INSERT INTO batches VALUES (?, ?, ?, ?, 'open', ?)", values)])

    async def _start(self, file: Path, digest: str) -> str:
        client = self._endpoint.client
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

    async def _take_back(self, id_: str, sent: Path) -> AppliedReplies:
        client = self._endpoint.client
        batch = await self._wait_for_end(id_, sent)
        applied = []
        for place, name in (("replies", batch.output_file_id), ("errors", batch.error_file_id)):
            if name:
                content = await self._ask(partial(client.files.content, name))
                file = self._folder / "sent" / f"{sent.stem}-{place}.jsonl"
                private_file(file).write_bytes(self._settings.secrets.hide(content.content))
                applied.append(apply_replies(file, self._book, self._store))
        self._close(id_, sent, "done")
        return _sum(applied)

    async def _wait_for_end(self, id_: str, sent: Path) -> "Batch":
        batches = self._endpoint.client.batches
        while (batch := await self._ask(lambda: batches.retrieve(id_))).status not in ENDED:
            if batch.status == "failed":
                message = "; ".join(error.message or "" for error in (batch.errors.data or [] if batch.errors else []))
                self._close(id_, sent, "failed")
                problem = f"the provider refused batch {batch.id!r} ({message or 'no reason given'})"
                raise ModelError(f"{self._settings.secrets.hide(problem)}; its calls are sent again")
            await asyncio.sleep(self._every)
        return batch

    def _close(self, id_: str, sent: Path, status: str) -> None:
        calls = [json.loads(line)["custom_id"] for _, line in text_lines(sent)]
        rows = [SqlWrite("DELETE FROM calls WHERE key = ? AND status = 'waiting'", (call,)) for call in calls]
        self._store.write([*rows, SqlWrite("UPDATE batches SET status = ? WHERE id = ?", (status, id_))])

    async def _ask(self, asked: Callable[[], Awaitable[Answer]]) -> Answer:
        from aiohttp import ClientError
        from openai import APIStatusError, OpenAIError

        settings, hide = self._settings, self._endpoint.secrets.hide
        try:
            return await asked()
        except APIStatusError as error:
            failed = failure_of_status(error.status_code, error.response.headers, hide(error.response.content))
        except (OpenAIError, ClientError, ValueError, TypeError, AttributeError) as error:  # odd replies too
            failed = CallFailed("connection", hide(f"{error} {error.__cause__ or ''}"))
        raise failed.error(model=settings.model, url=settings.base_url, step=settings.step, is_down=True)


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sum(applied: Iterable[AppliedReplies]) -> AppliedReplies:
    return AppliedReplies(*(sum(column) for column in zip((0, 0, 0), *applied, strict=True)))
