"""Model that asks endpoints over the network: cache, budget, send, parse, store."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Self

from kbe_graph.errors import KbeError, ModelError, ReplyError
from kbe_graph.models.call_store import CallStore, Cost
from kbe_graph.models.catalogue import Usage
from kbe_graph.models.cost import Budget
from kbe_graph.models.failures import TRIES, CallFailed, one_line
from kbe_graph.models.images import Images
from kbe_graph.models.replies import error_if_tried_out, kept_reply, read_reply
from kbe_graph.models.request import Call, Check, Reply, Request, call_of
from kbe_graph.models.settings import Capabilities, ModelBook, ModelSettings
from kbe_graph.models.transport import Transport

DRAIN = 0.5  # seconds between checks for calls still in flight
FIRST_CALLS = 20  # calls of a step that may fail before the first reply that it ever had
FREE = Cost(Usage(), 0.0)
NO_FORMAT = {"json_schema": False, "json_object": False}

_SHOWN = (
    "check base_url and model, and [models.capabilities] for fields that it does not accept; "
    "look at the failed calls (`kbe calls failures`), then run the same command again"
)


class CallProgress(NamedTuple):
    """Call counts of this process so far.

    ``calls`` were paid for, ``hits`` came from the cache, ``failed`` were given up, and ``in_flight`` have not
    returned. ``requests`` counts all requests sent, including rejected and lost ones.
    """

    calls: int
    hits: int
    failed: int
    in_flight: int
    dollars: float
    requests: int


class DirectModel:
    """Model that calls each step's endpoint within a budget and stores the calls; use it with ``async with``.

    Identical concurrent requests share one call. Models may share a budget; the progress counts only this model's
    calls. ``tell`` receives a line about each long wait and about an endpoint that accepts no ``response_format``.
    """

    def __init__(
        self,
        book: ModelBook,
        store: CallStore,
        *,
        images: Images | None = None,
        budget: Budget | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._book, self._store, self._tell = book, store, tell
        self._images = images or Images()
        self._budget = budget or Budget()
        self._before = self._budget.calls_made, self._budget.spent, self._budget.requests
        self._transports: dict[tuple[str, str, str], Transport] = {}
        self._asking: dict[str, asyncio.Task[Reply]] = {}
        self._counts: Counter[str] = Counter()
        self._new_failures: Counter[str] = Counter()  # by step, of steps that never had a usable reply
        self._understood: dict[tuple[str, str], bool] = {}  # by endpoint and step, whether a reply was ever usable
        self._stopped = self._last = ""
        self._formats: dict[tuple[str, str], bool] = {}  # whether a place accepts response_format, once known
        self._refused: dict[tuple[str, str], dict[str, bool]] = {}
        self._probing = asyncio.Lock()

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a complete reply from the store or the endpoint; see ``Model``.

        Also raises ModelError if the first calls of a step all failed.
        """
        reply = await self.ask_for(request, check)
        self.accept(request.step)
        return reply

    async def ask_for(self, request: Request, check: Check | None = None) -> Reply:
        """Ask on behalf of another process, which then calls ``accept`` or, if the reply is unusable, ``refuse``."""
        settings = self._book.settings_for(request.step)
        call = call_of(request, settings, self._images)
        if (place := (settings.base_url, request.step)) not in self._understood:
            self._understood[place] = self._store.has_replied(settings.base_url, step=request.step)
        if reply := await kept_reply(self._store, call, check):
            self._counts["hits"] += 1
            return reply
        if call.key not in self._asking:
            self._asking[call.key] = asyncio.create_task(self._pay_for(call, check))
            self._asking[call.key].add_done_callback(partial(self._forget, call.key))
        return await asyncio.shield(self._asking[call.key])

    def accept(self, step: str) -> None:
        """Count a usable reply."""
        self._counts["usable"] += 1
        self._new_failures.pop(step, None)
        self._understood[self._book.settings_for(step).base_url, step] = True

    async def refuse(self, reply: Reply, step: str, failed: CallFailed) -> bool:
        """Store an unusable reply as a failure; True if the request may be repeated. Raises ModelError like ``ask``."""
        await self._store.discard_reply(reply.call, failed.message, failed.kind)
        if self._store.tries(reply.call)[failed.kind] < failed.tries:
            return True
        url = self._book.settings_for(step).base_url
        await self._give_up(reply.call, url, step, failed.error(model=reply.model, url=url, step=step))
        return False

    @property
    def progress(self) -> CallProgress:
        """The call counts and dollars so far."""
        counts, budget = self._counts, self._budget
        calls, spent, requests = self._before
        return CallProgress(
            budget.calls_made - calls,
            counts["hits"],
            counts["failed"],
            budget.in_flight,
            budget.spent - spent,
            budget.requests - requests,
        )

    def check_end(self) -> None:
        """Raise ModelError if no reply was usable, of calls to a new step or of twenty calls."""
        count = self._counts["failed"] if self._counts["failed"] >= FIRST_CALLS else self._new_failures.total()
        if count and not self._counts["usable"]:
            raise ModelError(f"none of {count} calls returned a usable reply ({self._last}); {_SHOWN}")

    async def close(self) -> None:
        """Wait for calls in flight, cancel those not yet sent, and close the connections."""
        while self._asking:
            out = {task for transport in self._transports.values() for task in transport.out}
            for task in self._asking.values():
                if task not in out:
                    task.cancel()
            await asyncio.wait(self._asking.values(), timeout=DRAIN)
        for transport in self._transports.values():
            await transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _pay_for(self, call: Call, check: Check | None) -> Reply:
        if self._stopped:
            raise ModelError(self._stopped)
        url, step, settings = call.settings.base_url, call.request.step, call.settings
        tries = self._store.tries(call.key) if self._budget.is_bounded else Counter[str]()
        if isinstance(tried_out := error_if_tried_out(self._store, call, tries, max(TRIES.values())), ReplyError):
            self._budget.given_up.add(call.key)
            raise tried_out
        transport, purse = self._transport(settings), _Purse(self._budget, call)
        send = partial(self._send, call, check, transport, purse)
        try:
            return await transport.until_answered(send, tries)
        except CallFailed as failed:
            had_format = purse.had_format and failed.kind == "request"
            if had_format and (reply := await self._without_format(call, send)):
                return reply
            if not purse.has_paid(failed):
                await self._store.keep_failure(call, failed, FREE._replace(attempts=purse.attempts))
            is_down = transport.is_down(failed, has_replied=self._store.has_replied(url))
            if failed.kind == "key" and failed.message.startswith("403") and self._store.has_replied(url):
                failed = CallFailed("request", failed.message)
            error = failed.error(model=settings.model, url=url, step=step, is_down=is_down)
            await self._give_up(call.key, url, step, error)
            raise error from None
        finally:
            purse.close()

    async def _send(self, call: Call, check: Check | None, transport: Transport, purse: "_Purse") -> Reply:
        await purse.reserve()

        async def content() -> bytes:
            if self._stopped:
                raise ModelError(self._stopped)
            uris = [await self._images.uri(path, call.settings.encoding) for path in call.request.images]
            takes = self._takes(call.settings)
            purse.had_format = bool(call.request.schema) and (takes.json_schema or takes.json_object)
            encode = partial(call.encode, uris, shift=self._store.failures(call.key), takes=takes)
            encoded = await asyncio.to_thread(encode) if call.request.edit else encode()
            self._store.mark_asking(call)
            return encoded

        async def keep(raw: bytes) -> Reply:
            reply = read_reply(call, raw, check)
            await self._store.keep_reply(call, raw, purse.pay(reply.usage))
            return reply

        try:
            reply = await transport.attempt(content, call.worst_usage.prompt, call.route, keep)
        except CallFailed as failed:
            if purse.has_paid(failed):
                cost = purse.pay(failed.usage, is_known=bool(failed.raw))
                await self._store.keep_failure(call, failed, cost)
            raise
        if purse.had_format:
            self._formats.setdefault(_place(call.settings), True)
        return reply

    async def _without_format(self, call: Call, send: Callable[[], Awaitable[Reply]]) -> Reply | None:
        place = _place(call.settings)
        async with self._probing:
            if self._formats.get(place, False) is True:
                return None
            was_known = place in self._formats
            self._formats[place] = False
            try:
                reply = await send()
            except CallFailed:
                if not was_known:
                    self._formats[place] = True
                return None
        if not was_known:
            self._store.keep_capabilities(*place, NO_FORMAT)
            self._tell(
                f"{place[0]} does not accept 'response_format' with model {place[1]!r}; requests leave it out from "
                "here on"
            )
        return reply

    def _takes(self, settings: ModelSettings) -> Capabilities:
        place = _place(settings)
        if place not in self._refused:
            self._refused[place] = self._store.find_capabilities(*place)
        refused = self._refused[place] | (NO_FORMAT if self._formats.get(place) is False else {})
        return replace(settings.capabilities, **refused) if refused else settings.capabilities

    async def _give_up(self, key: str, url: str, step: str, error: KbeError) -> None:
        """Record that a call was given up: immediately, or at the end of a limited command.

        Raises ModelError after the first calls of a step that never had a reply.
        """
        self._counts["failed"] += 1
        if self._budget.is_bounded and isinstance(error, ReplyError):
            self._budget.given_up.add(key)
        else:
            await self._store.give_up(key)
        self._last = one_line(str(error))
        if not isinstance(error, ReplyError) or self._understood.get((url, step)):
            return
        self._new_failures[step] += 1
        if self._new_failures[step] >= FIRST_CALLS:
            self._stopped = f"the first {FIRST_CALLS} calls of step {step!r} all failed ({self._last}); {_SHOWN}"
            raise ModelError(self._stopped)

    def _forget(self, key: str, task: asyncio.Task[Reply]) -> None:
        del self._asking[key]
        if not task.cancelled():
            task.exception()

    def _transport(self, settings: ModelSettings) -> Transport:
        if settings.place not in self._transports:
            self._transports[settings.place] = Transport(settings, tell=self._tell, sent=self._budget.note_request)
        return self._transports[settings.place]


class _Purse:
    """What one call takes from the budget, attempt by attempt."""

    def __init__(self, budget: Budget, call: Call) -> None:
        self._budget, self._call = budget, call
        self._reserved: float | None = None
        self._start = time.monotonic()
        self.attempts = 0
        self.had_format = False

    async def reserve(self) -> None:
        """Reserve the worst case of an attempt; raises BudgetReached."""
        if self._reserved is None:
            self._reserved = await self._budget.reserve(self._call)
        self.attempts += 1

    def pay(self, usage: Usage, *, is_known: bool = True) -> Cost:
        """Charge the attempt, all that was reserved if its cost is not known, and return its cost."""
        price = self._call.settings.price
        cost = Cost(usage, price.dollars(usage) if price else None, self.attempts, time.monotonic() - self._start)
        if self._reserved is not None:
            reserved, self._reserved = self._reserved, None
            self._budget.settle(reserved, (cost.dollars or 0.0) if is_known else None)
        self.attempts = 0
        return cost

    def has_paid(self, failed: CallFailed) -> bool:
        """Return True if a failed attempt may be charged: it had a reply, or one may have come after the timeout."""
        return bool(failed.raw) or failed.kind == "timeout"

    def close(self) -> None:
        """Give back what is reserved."""
        if self._reserved is not None:
            self._budget.release(self._reserved)


def _place(settings: ModelSettings) -> tuple[str, str]:
    return settings.base_url, settings.model
