"""A call with its attempts: sent, read, checked and kept, until there is a whole reply or it is given up."""

import time
from collections.abc import Mapping

from kbe_graph.models.budget import Budget
from kbe_graph.models.call_store import CallStore, Cost
from kbe_graph.models.completion import WholeReply, read_completion
from kbe_graph.models.endpoint import ModelEndpoint
from kbe_graph.models.failures import CallFailed
from kbe_graph.models.images import Images
from kbe_graph.models.kept_reply import check_reply, reply_of, usage_of
from kbe_graph.models.lessons import Lessons
from kbe_graph.models.request import Check, Reply, Usage
from kbe_graph.models.retry import with_retries
from kbe_graph.models.wire import Call


class PaidCall:
    """A call on its way, for which there is room in a budget whenever it is sent.

    ``was_given_up`` says of one that is given up that an earlier command gave it up too.
    """

    def __init__(
        self,
        call: Call,
        check: Check | None,
        store: CallStore,
        images: Images,
        endpoint: ModelEndpoint,
        lessons: Lessons,
        budget: Budget,
    ) -> None:
        self._call, self._check, self._store, self._images, self._endpoint = call, check, store, images, endpoint
        self._lessons, self._budget = lessons, budget
        self._reserved: float | None = None
        self._sent = call.settings.capabilities
        self._start = time.monotonic()
        self._attempts = 0
        self._shift = store.failures(call.key)
        self._content = b""
        self.was_given_up = False

    async def reply(self, tries: Mapping[str, int]) -> Reply:
        """Return the reply, after so many ``tries`` of earlier commands, by the kind of their failure.

        Raises CallFailed, which is kept, where the call is given up, and BudgetReached.
        """
        try:
            return await with_retries(self._attempt, self._endpoint.patience, tries)
        except CallFailed as failed:
            if not _may_cost(failed):
                await self._store.keep_failure(self._call, failed, Cost(Usage(), 0.0, self._attempts))
            self.was_given_up = self._store.was_given_up(self._call.key)
            raise
        finally:
            if self._reserved is not None:
                self._budget.release(self._reserved)

    async def _attempt(self) -> Reply:
        if self._reserved is None:
            self._reserved = await self._budget.reserve(self._call)
        self._attempts += 1
        try:
            async with self._endpoint.exchange(self._encode, self._call.worst_usage.prompt) as raw:
                return await self._keep_reply(raw)
        except CallFailed as failed:
            if not await self._has_learnt(failed):
                if _may_cost(failed):
                    await self._keep_failure(failed)
                raise
        return await self._attempt()

    async def _has_learnt(self, failed: CallFailed) -> bool:
        """Return whether the failure taught what the endpoint does not take, so that the body is another one now."""
        lessons, sent = self._lessons, self._sent
        learnt = lessons.learn(self._call.settings, failed, sent)
        learnt = learnt or await lessons.learn_by_probe(self._call, failed, sent)
        if learnt:
            self._content = b""
        return learnt

    async def _encode(self) -> bytes:
        """Mark the call as going out, and return its body.

        The body is encoded once, and again only where a reply could not be used and the seed moves.
        """
        if not self._content:
            request, encoding = self._call.request, self._call.settings.encoding
            uris = [await self._images.uri(path, encoding) for path in request.images]
            self._sent = self._lessons.capabilities(self._call.settings)
            self._content = self._call.encode(uris, shift=self._shift, takes=self._sent)
        self._store.mark_asking(self._call)
        return self._content

    async def _keep_reply(self, raw: bytes) -> Reply:
        whole = self._whole_reply(raw)
        reply = reply_of(self._call, whole, usage_of(self._call, whole))
        check_reply(self._check, reply, raw)
        cost = self._cost(reply.usage)
        self._settle(cost.dollars or 0.0)
        await self._store.keep_reply(self._call, raw, cost)
        return reply

    def _whole_reply(self, raw: bytes) -> WholeReply:
        """Return the reply; a page from an endpoint that was heard to reply is this call's trouble alone."""
        try:
            return read_completion(raw)
        except CallFailed as failed:
            if failed.fault.kind == "page" and self._store.has_replied(self._call.settings.base_url):
                raise failed.as_kind("broken") from None
            raise

    async def _keep_failure(self, failed: CallFailed) -> None:
        cost = self._cost(failed.usage)
        self._settle((cost.dollars or 0.0) if failed.raw else None)
        await self._store.keep_failure(self._call, failed, cost)
        self._attempts = 0
        if failed.raw:
            self._shift, self._content = self._shift + 1, b""

    def _settle(self, dollars: float | None) -> None:
        """Count what was sent as a call of this cost; None where nobody knows what it cost."""
        if self._reserved is not None:
            reserved, self._reserved = self._reserved, None
            self._budget.settle(reserved, dollars)

    def _cost(self, usage: Usage) -> Cost:
        price = self._call.settings.price
        return Cost(usage, price.dollars(usage) if price else None, self._attempts, time.monotonic() - self._start)


def _may_cost(failed: CallFailed) -> bool:
    """Return whether a failed attempt is paid: there was a reply, or it may have come once nobody waited for it."""
    return bool(failed.raw) or failed.fault.kind == "timeout"
