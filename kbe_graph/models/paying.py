"""One call with its attempts: sent, read, checked and kept, until it is whole or given up."""

import time

from kbe_graph.models.calls import CallStore, Cost
from kbe_graph.models.endpoint import Endpoint
from kbe_graph.models.faults import CallFailed
from kbe_graph.models.images import Images
from kbe_graph.models.kept import check_reply, reply_of, usage_of
from kbe_graph.models.reply import read_completion
from kbe_graph.models.request import Check, Reply, Usage
from kbe_graph.models.retry import persist
from kbe_graph.models.wire import Call


class Paying:
    """A call on its way; ``dollars`` is what was paid for it so far, ``timed_out`` whether more may have been."""

    def __init__(self, call: Call, check: Check | None, store: CallStore, images: Images, endpoint: Endpoint) -> None:
        self._call, self._check, self._store, self._images, self._endpoint = call, check, store, images, endpoint
        self._start = time.monotonic()
        self._attempts = 0
        self._shift = store.failures(call.key)
        self._content = b""
        self.dollars = 0.0
        self.timed_out = False

    async def reply(self) -> Reply:
        """Return the reply, asked for until it is there or given up; raises CallFailed, noted."""
        try:
            return await persist(self._attempt, patience=self._call.settings.patience)
        except CallFailed as failed:
            if not failed.raw:
                await self._store.failed(self._call, failed, Cost(Usage(), 0.0, self._attempts))
            raise

    async def _attempt(self) -> Reply:
        self._attempts += 1
        try:
            async with self._endpoint.sent(self._encoded, self._call.worst.prompt) as raw:
                return await self._kept(raw)
        except CallFailed as failed:
            self.timed_out |= failed.fault.kind == "timeout"
            if failed.raw:
                await self._put_apart(failed)
            raise

    async def _encoded(self) -> bytes:
        """Return the body, and mark the call, which goes out now.

        It is encoded once, and again only where a reply could not be used and the seed moves.
        """
        self._store.asking(self._call)
        if not self._content:
            request, encoding = self._call.request, self._call.settings.encoding
            uris = [await self._images.uri(path, encoding) for path in request.images]
            self._content = self._call.encode(uris, shift=self._shift)
        return self._content

    async def _kept(self, raw: bytes) -> Reply:
        whole = read_completion(raw)
        reply = reply_of(self._call, whole, usage_of(self._call, whole))
        check_reply(self._check, reply, raw)
        cost = self._cost(reply.usage)
        await self._store.done(self._call, raw, cost)
        self.dollars += cost.dollars or 0.0
        return reply

    async def _put_apart(self, failed: CallFailed) -> None:
        cost = self._cost(failed.usage)
        await self._store.failed(self._call, failed, cost)
        self.dollars += cost.dollars or 0.0
        self._attempts, self._shift, self._content = 0, self._shift + 1, b""

    def _cost(self, usage: Usage) -> Cost:
        price = self._call.settings.price
        return Cost(usage, price.dollars(usage) if price else None, self._attempts, time.monotonic() - self._start)
