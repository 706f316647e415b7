"""Batch runner: sends waves to a provider's batch endpoint, waits for them, and imports the replies."""

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kbe_graph.errors import ModelError
from kbe_graph.files.whole import private_file
from kbe_graph.models.batch_files import (
    MOST_BYTES,
    MOST_LINES,
    AppliedReplies,
    apply_replies,
    waves_of,
    write_files_to_send,
)
from kbe_graph.models.call_store import CallStore, SqlWrite
from kbe_graph.models.endpoint import ModelEndpoint
from kbe_graph.models.failures import CallFailed
from kbe_graph.models.images import Images
from kbe_graph.models.retry import with_retries
from kbe_graph.models.settings import ModelBook

if TYPE_CHECKING:
    from openai.types import Batch

Answer = TypeVar("Answer")
ENDED = ("completed", "expired", "cancelled")
NOTHING = AppliedReplies(0, 0, 0)


class OpenBatch(NamedTuple):
    """Batch whose replies are outstanding: the provider's ID and the file that was sent."""

    id: str
    file: Path


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
        self._endpoint = ModelEndpoint(self._settings)

    async def run(self, *, lines: int = MOST_LINES, size: int = MOST_BYTES) -> AppliedReplies:
        """Send the waiting waves, wait for all open batches, store their replies and return the counts.

        A file to send holds at most ``lines`` calls and ``size`` bytes. Calls without a reply go into the next wave.
        Raises ModelError for a batch that the provider rejected.
        """
        try:
            for wave in waves_of(self._folder, self._settings.model, self._store):
                for file in write_files_to_send(
                    wave, self._folder / "sent", images=self._images, lines=lines, size=size
                ):
                    await self._send(file)
            return _sum([await self._take_back(batch) for batch in self.open()])
        finally:
            await self._endpoint.close()

    def open(self) -> list[OpenBatch]:
        """List the batches whose replies are outstanding."""
        rows = self._store.reader.execute(
            "SELECT id, file FROM batches WHERE url = ? AND model = ? AND status = 'open' ORDER BY at, id",
            (self._settings.base_url, self._settings.model),
        )
        return [OpenBatch(name, Path(file)) for name, file in rows]

    async def _send(self, file: Path) -> None:
        if self._store.reader.execute("SELECT 1 FROM batches WHERE file = ?", (str(file),)).fetchone():
            return
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        name = await self._ask(lambda: self._start(file, digest))
        values = (name, self._settings.base_url, self._settings.model, str(file), time.time())
        self._store.write([SqlWrite("INSERT INTO batches VALUES (?, ?, ?, ?, 'open', ?)", values)])

    async def _start(self, file: Path, digest: str) -> str:
        """Start the batch unless an interrupted attempt already did; return the provider's ID."""
        client = self._endpoint.client
        async for batch in client.batches.list(limit=100):
            if (batch.metadata or {}).get("file") == digest:
                return batch.id
        with file.open("rb") as stream:
            sent = await client.files.create(file=(file.name, stream), purpose="batch")
        started = await client.batches.create(
            input_file_id=sent.id,
            endpoint="/v1/chat/completions",
            completion_window="24h",
            metadata={"file": digest},
        )
        return started.id

    async def _take_back(self, open_batch: OpenBatch) -> AppliedReplies:
        client = self._endpoint.client
        batch = await self._wait_for_end(open_batch)
        applied = []
        for place, name in (("replies", batch.output_file_id), ("errors", batch.error_file_id)):
            if name:
                content = await self._ask(partial(client.files.content, name))
                file = self._folder / "sent" / f"{open_batch.file.stem}-{place}.jsonl"
                private_file(file).write_bytes(content.content)
                applied.append(apply_replies(file, self._book, self._store))
        self._close(open_batch, "done")
        return _sum(applied)

    async def _wait_for_end(self, open_batch: OpenBatch) -> "Batch":
        batches = self._endpoint.client.batches
        while (batch := await self._ask(lambda: batches.retrieve(open_batch.id))).status not in ENDED:
            if batch.status == "failed":
                message = "; ".join(error.message or "" for error in (batch.errors.data or [] if batch.errors else []))
                self._close(open_batch, "failed")
                raise ModelError(
                    f"the provider refused batch {batch.id!r} ({message or 'no reason given'}); its calls "
                    "are sent again"
                )
            await asyncio.sleep(self._every)
        return batch

    def _close(self, open_batch: OpenBatch, status: str) -> None:
        """Record how a batch ended; its calls without a reply no longer count as waiting."""
        with open_batch.file.open(encoding="utf-8") as stream:
            calls = [json.loads(line)["custom_id"] for line in stream]
        rows = [SqlWrite("DELETE FROM calls WHERE key = ? AND status = 'waiting'", (call,)) for call in calls]
        self._store.write([*rows, SqlWrite("UPDATE batches SET status = ? WHERE id = ?", (status, open_batch.id))])

    async def _ask(self, attempt: Callable[[], Awaitable[Answer]]) -> Answer:
        """Make a request with retries by the fault table: the client's own retries might start a batch twice."""
        settings = self._settings
        try:
            return await with_retries(attempt, self._endpoint.patience)
        except CallFailed as failed:
            raise failed.error(model=settings.model, url=settings.base_url, step=settings.step) from None


def _sum(applied: Iterable[AppliedReplies]) -> AppliedReplies:
    return AppliedReplies(*(sum(column) for column in zip(NOTHING, *applied, strict=True)))
