"""Life cycle of a call: its reply comes from the store, or is requested, read, checked and stored."""

import asyncio
import time
from collections.abc import Mapping
from functools import partial

from kbe_graph.errors import KbeError, ReplyError
from kbe_graph.models.call_store import CallStore, Cost
from kbe_graph.models.capabilities import LearnedCapabilities
from kbe_graph.models.catalogue import Usage
from kbe_graph.models.completion import WholeReply
from kbe_graph.models.cost import Budget
from kbe_graph.models.endpoint import ModelEndpoint
from kbe_graph.models.failures import ENDLESS, FAULTS, CallFailed
from kbe_graph.models.images import Images
from kbe_graph.models.request import BYTES_A_TOKEN, Call, Check, Reply
from kbe_graph.models.retry import with_retries


async def kept_reply(store: CallStore, call: Call, check: Check | None) -> Reply | None:
    """Return the stored reply to a call, if any; a reply that ``check`` rejects is moved to the failures."""
    kept = store.get(call.key)
    if kept is None or kept.status != "done":
        return None
    reply = _reply(call, call.read(kept.raw), kept.usage, cached=True)
    try:
        check_reply(check, reply, kept.raw)
    except CallFailed as failed:
        await store.discard_reply(call.key, failed.message)
        return None
    store.count_hit(call)
    return reply


def kept_error(store: CallStore, call: Call, tries: Mapping[str, int], most: int = ENDLESS) -> KbeError | None:
    """Return the last error of a call that has used up its tries, by the fault table or ``most``; None otherwise."""
    if not any(count >= min(most, FAULTS[kind].tries) for kind, count in tries.items() if kind in FAULTS):
        return None
    failed, settings = store.last_failure(call.key), call.settings
    failed.alone = store.has_replied(settings.base_url)
    return failed.error(model=settings.model, url=settings.base_url, step=call.request.step)


def check_reply(check: Check | None, reply: Reply, raw: bytes) -> None:
    """Raise CallFailed if ``check`` rejects the reply or fails on it in any other way."""
    if check is None:
        return
    try:
        check(reply)
    except ReplyError as error:
        failed = CallFailed("refused" if error.kind == "refused" else "invalid", str(error), raw=raw)
    except KbeError:
        raise
    except Exception as error:  # noqa: BLE001 - the reply was paid for, so it is stored whatever it contains
        failed = CallFailed("invalid", f"the reply cannot be parsed ({type(error).__name__}: {error})", raw=raw)
    else:
        return
    failed.usage, failed.text = reply.usage, reply.text
    raise failed


class PaidCall:
    """Call in progress, each of whose attempts is covered by the budget.

    When the call is given up, ``was_given_up`` says whether an earlier command had given it up, too.
    """

    def __init__(
        self,
        call: Call,
        check: Check | None,
        store: CallStore,
        images: Images,
        endpoint: ModelEndpoint,
        learned: LearnedCapabilities,
        budget: Budget,
    ) -> None:
        self._call, self._check, self._store, self._images, self._endpoint = call, check, store, images, endpoint
        self._learned, self._budget = learned, budget
        self._reserved: float | None = None
        self._sent = call.settings.capabilities
        self._start = time.monotonic()
        self._attempts = 0
        self._shift = store.failures(call.key)
        self._content = b""
        self.was_given_up = False

    async def reply(self, tries: Mapping[str, int]) -> Reply:
        """Get the reply; ``tries`` counts the failures of earlier commands by kind.

        Raises CallFailed, which is stored, if the call is given up, and BudgetReached.
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
        """Send the call; send it again in another form if the endpoint's response revealed one."""
        if self._reserved is None:
            self._reserved = await self._budget.reserve(self._call)
        self._attempts += 1
        try:
            prompt = self._call.worst_usage.prompt
            async with self._endpoint.exchange(self._encode, prompt, self._call.route) as raw:
                return await self._keep_reply(raw)
        except CallFailed as failed:
            if not await self._has_learned(failed):
                if _may_cost(failed):
                    await self._keep_failure(failed)
                raise
        self._content = b""
        return await self._attempt()

    async def _has_learned(self, failed: CallFailed) -> bool:
        """Learn which fields the endpoint accepts, except for edits: no field can be omitted and no chat probed."""
        return not self._call.request.edit and await self._learned.learn_or_probe(self._call, failed, self._sent)

    async def _encode(self) -> bytes:
        """Mark the call as being sent, and return its body.

        The body is encoded once, and again only if the request changes: new capabilities, or a new seed after an
        unusable reply.
        """
        if not self._content:
            request, encoding = self._call.request, self._call.settings.encoding
            uris = [await self._images.uri(path, encoding) for path in request.images]
            self._sent = self._learned.capabilities(self._call.settings)
            encode = partial(self._call.encode, uris, shift=self._shift, takes=self._sent)
            self._content = await asyncio.to_thread(encode) if request.edit else encode()
        self._store.mark_asking(self._call)
        return self._content

    async def _keep_reply(self, raw: bytes) -> Reply:
        whole = self._whole_reply(raw)
        reply = _reply(self._call, whole, whole.usage or _estimated_usage(self._call, whole))
        check_reply(self._check, reply, raw)
        cost = self._cost(reply.usage)
        self._settle(cost.dollars or 0.0)
        await self._store.keep_reply(self._call, raw, cost)
        return reply

    def _whole_reply(self, raw: bytes) -> WholeReply:
        """Read the reply; a page from an endpoint that has replied before is treated as a problem of this call only."""
        try:
            return self._call.read(raw)
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
        """Charge the attempt to the budget; None is an unknown cost."""
        if self._reserved is not None:
            reserved, self._reserved = self._reserved, None
            self._budget.settle(reserved, dollars)

    def _cost(self, usage: Usage) -> Cost:
        price = self._call.settings.price
        return Cost(usage, price.dollars(usage) if price else None, self._attempts, time.monotonic() - self._start)


def _reply(call: Call, whole: WholeReply, usage: Usage, *, cached: bool = False) -> Reply:
    return Reply(whole.text, usage, whole.finish, whole.model or call.settings.model, call.key, cached)


def _estimated_usage(call: Call, whole: WholeReply) -> Usage:
    if call.request.edit:
        return call.worst_usage
    return call.worst_usage._replace(output=max(1, round(len(whole.text.encode()) / BYTES_A_TOKEN)))


def _may_cost(failed: CallFailed) -> bool:
    """Return True if a failed attempt may be charged: there was a reply, or one may have arrived after the timeout."""
    return bool(failed.raw) or failed.fault.kind == "timeout"
