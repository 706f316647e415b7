"""The direct runner: asks endpoints over the network, and keeps every call."""

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Self

from kbe_graph.errors import ReplyError
from kbe_graph.models.breaker import Breaker
from kbe_graph.models.budget import Budget
from kbe_graph.models.call_store import CallStore
from kbe_graph.models.endpoint import ModelEndpoint
from kbe_graph.models.failures import CallFailed
from kbe_graph.models.images import Images
from kbe_graph.models.kept_reply import kept_reply
from kbe_graph.models.lessons import Lessons
from kbe_graph.models.paid_call import PaidCall
from kbe_graph.models.request import Check, Reply, Request
from kbe_graph.models.settings import ModelBook
from kbe_graph.models.wire import Call, call_of

# faults that may be of one request alone, where it had them before and the endpoint has replied to others
OWN = ("server", "timeout", "page")
DRAIN = 0.5  # seconds between looks at the calls that are still in flight


class CallProgress(NamedTuple):
    """What this process did so far.

    ``calls`` counts replies that were paid for, ``hits`` kept replies, ``failed`` calls that were given up,
    ``in_flight`` calls on their way.
    """

    calls: int
    hits: int
    failed: int
    in_flight: int
    dollars: float


class DirectModel:
    """Asks each step's endpoint, within a budget, and keeps the calls; use it with ``async with``.

    The same request asked twice at once is one call. ``tell`` is told what is waited for, and
    what an endpoint was found not to take.
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
        self._book = book
        self._store = store
        self._images = images or Images()
        self._budget = budget or Budget()
        self._tell = tell
        self._lessons = Lessons(store, tell=tell)
        self._breaker = Breaker()
        self._endpoints: dict[tuple[str, str, str], ModelEndpoint] = {}
        self._asking: dict[str, asyncio.Task[Reply]] = {}
        self._counts: Counter[str] = Counter()

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a whole reply, from the store or the endpoint; see ``Model``.

        Raises ModelError as well, where the first calls of a step failed alike.
        """
        reply = await self.ask_for(request, check)
        self.accept(request.step)
        return reply

    async def ask_for(self, request: Request, check: Check | None = None) -> Reply:
        """Do what ``ask`` does for others, who tell by ``accept`` or ``refuse`` whether they can read the reply."""
        call = call_of(request, self._book.settings_for(request.step), self._images)
        if reply := await kept_reply(self._store, call, check):
            self._counts["hits"] += 1
            return reply
        if call.key not in self._asking:
            self._asking[call.key] = asyncio.create_task(self._pay_for(call, check))
            self._asking[call.key].add_done_callback(partial(self._forget, call.key))
        return await asyncio.shield(self._asking[call.key])

    def accept(self, step: str) -> None:
        """Note that a reply can be used."""
        self._breaker.note_reply(step)

    async def refuse(self, reply: Reply, step: str, failed: CallFailed) -> bool:
        """Keep apart a reply that whoever asked for it cannot read, and return whether it may be asked for again.

        Raises ModelError as ``ask`` does.
        """
        await self._store.discard_reply(reply.call, failed.message, failed.fault.kind)
        if self._store.tries(reply.call)[failed.fault.kind] < failed.fault.tries:
            return True
        url, was_given_up = self._book.settings_for(step).base_url, self._store.was_given_up(reply.call)
        await self._store.give_up(reply.call)
        self._counts["failed"] += 1
        error = failed.error(model=reply.model, url=url, step=step)
        if isinstance(error, ReplyError) and not (was_given_up and self._store.has_replied(url, step=step)):
            self._breaker.note_failure(step, error)
        return False

    @property
    def progress(self) -> CallProgress:
        """The counts of calls and the dollars spent so far."""
        counts = self._counts
        return CallProgress(counts["calls"], counts["hits"], counts["failed"], counts["in flight"], self._budget.spent)

    def check_end(self) -> None:
        """Raise ModelError where calls were made and none was of any use."""
        self._breaker.check_end()

    async def close(self) -> None:
        """Wait for the calls that are out, drop those that are not, and close the connections."""
        while self._asking:
            out = {task for endpoint in self._endpoints.values() for task in endpoint.out}
            for task in self._asking.values():
                if task not in out:
                    task.cancel()
            await asyncio.wait(self._asking.values(), timeout=DRAIN)
        for endpoint in self._endpoints.values():
            await endpoint.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _pay_for(self, call: Call, check: Check | None) -> Reply:
        self._breaker.check()
        reserved = await self._budget.reserve(call)
        self._counts["in flight"] += 1
        paid_call = PaidCall(call, check, self._store, self._images, self._endpoint(call), self._lessons)
        dollars: float | None = 0.0
        try:
            reply = await paid_call.reply()
            dollars = paid_call.dollars
        except CallFailed as failed:
            self._counts["failed"] += 1
            dollars = None if paid_call.timed_out else paid_call.dollars
            place = {"model": call.settings.model, "url": call.settings.base_url, "step": call.request.step}
            failed.alone |= paid_call.was_given_up and failed.fault.kind in OWN and self._has_replied(call)
            error = failed.error(**place)
            if isinstance(error, ReplyError) and not (paid_call.was_given_up and self._has_replied(call)):
                self._breaker.note_failure(call.request.step, error)
            raise error from None
        finally:
            self._counts["in flight"] -= 1
            self._budget.settle(reserved, dollars)
        self._counts["calls"] += 1
        return reply

    def _has_replied(self, call: Call) -> bool:
        return self._store.has_replied(call.settings.base_url, step=call.request.step)

    def _forget(self, key: str, task: asyncio.Task[Reply]) -> None:
        """Forget a call that ended; its error is retrieved, as whoever asked may be gone."""
        del self._asking[key]
        if not task.cancelled():
            task.exception()

    def _endpoint(self, call: Call) -> ModelEndpoint:
        place = call.settings.place
        if place not in self._endpoints:
            self._endpoints[place] = ModelEndpoint(call.settings, tell=self._tell)
        return self._endpoints[place]
