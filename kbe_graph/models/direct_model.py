"""Direct runner: sends requests to endpoints over the network and stores every call."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, Self

from kbe_graph.errors import KbeError, ReplyError
from kbe_graph.models.call_store import CallStore
from kbe_graph.models.capabilities import LearnedCapabilities
from kbe_graph.models.cost import Budget
from kbe_graph.models.endpoint import ModelEndpoint
from kbe_graph.models.failures import CallFailed
from kbe_graph.models.images import Images
from kbe_graph.models.paid_call import PaidCall, kept_error, kept_reply
from kbe_graph.models.request import Call, Check, Reply, Request, call_of
from kbe_graph.models.retry import NO_TRIES, CircuitBreaker
from kbe_graph.models.settings import ModelBook

# faults that may be specific to one request, if it had them before and the endpoint has replied to others
OWN = ("server", "timeout", "page")
# wording of a 403 that concerns all calls, not the content of one
OF_ACCESS = re.compile(
    r"\bkey\b|access|permission|not allowed|authori[sz]|region|country|account|organi[sz]ation|plan\b"
)
DRAIN = 0.5  # seconds between checks for calls still in flight


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
    calls. ``tell`` receives a line about each long wait and about each field that an endpoint does not accept.
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
        self._before = self._budget.calls_made, self._budget.spent, self._budget.requests
        self._tell = tell
        self._learned = LearnedCapabilities(store, tell=tell, sent=self._budget.note_request)
        self._breaker = CircuitBreaker()
        self._endpoints: dict[tuple[str, str, str], ModelEndpoint] = {}
        self._asking: dict[str, asyncio.Task[Reply]] = {}
        self._counts: Counter[str] = Counter()

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a complete reply from the store or the endpoint; see ``Model``.

        Also raises ModelError if the first calls of a step failed in the same way.
        """
        reply = await self.ask_for(request, check)
        self.accept(request.step)
        return reply

    async def ask_for(self, request: Request, check: Check | None = None) -> Reply:
        """Ask on behalf of another process, which then calls ``accept`` or, if the reply is unusable, ``refuse``."""
        call = call_of(request, self._book.settings_for(request.step), self._images)
        if reply := await kept_reply(self._store, call, check):
            self._counts["hits"] += 1
            return reply
        if call.key not in self._asking:
            self._asking[call.key] = asyncio.create_task(self._pay_for(call, check))
            self._asking[call.key].add_done_callback(partial(self._forget, call.key))
        return await asyncio.shield(self._asking[call.key])

    def accept(self, step: str) -> None:
        """Count a usable reply."""
        self._breaker.note_reply(step)

    async def refuse(self, reply: Reply, step: str, failed: CallFailed) -> bool:
        """Store an unusable reply as a failure; True if the request may be repeated.

        Raises ModelError like ``ask``.
        """
        await self._store.discard_reply(reply.call, failed.message, failed.fault.kind)
        if self._store.tries(reply.call)[failed.fault.kind] < failed.fault.tries:
            return True
        url, was_given_up = self._book.settings_for(step).base_url, self._store.was_given_up(reply.call)
        self._counts["failed"] += 1
        error = failed.error(model=reply.model, url=url, step=step)
        await self._give_up(reply.call, error)
        if isinstance(error, ReplyError) and not (was_given_up and self._store.has_replied(url, step=step)):
            self._breaker.note_failure(step, error)
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
        """Raise ModelError if calls were made and no reply was usable."""
        self._breaker.check_end()

    async def close(self) -> None:
        """Wait for calls in flight, cancel those not yet sent, and close the connections."""
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
        tries = self._earlier_tries(call)
        paid_call = PaidCall(call, check, self._store, self._images, self._endpoint(call), self._learned, self._budget)
        try:
            return await paid_call.reply(tries)
        except CallFailed as failed:
            self._counts["failed"] += 1
            place = {"model": call.settings.model, "url": call.settings.base_url, "step": call.request.step}
            had_it_before = paid_call.was_given_up or failed.fault.kind in tries
            failed.alone |= had_it_before and failed.fault.kind in OWN and self._has_replied(call)
            if failed.fault.kind == "forbidden" and self._has_replied(call) and not OF_ACCESS.search(failed.searched):
                failed = failed.as_kind("request")  # a content filter: other calls were let through
            error = failed.error(**place)
            await self._give_up(call.key, error)
            if isinstance(error, ReplyError) and not (paid_call.was_given_up and self._has_replied(call)):
                self._breaker.note_failure(call.request.step, error)
            raise error from None

    def _earlier_tries(self, call: Call) -> Mapping[str, int]:
        """Count the tries of earlier limited commands; raises ReplyError if the call has none left."""
        if not self._budget.is_bounded:
            return NO_TRIES
        tries = self._store.tries(call.key)
        if isinstance(error := kept_error(self._store, call, tries), ReplyError):
            self._budget.given_up.add(call.key)
            raise error
        return tries

    async def _give_up(self, key: str, error: KbeError) -> None:
        """Record that a call was given up: immediately, or at the end of a limited command."""
        if self._budget.is_bounded and isinstance(error, ReplyError):
            self._budget.given_up.add(key)
        else:
            await self._store.give_up(key)

    def _has_replied(self, call: Call) -> bool:
        return self._store.has_replied(call.settings.base_url, step=call.request.step)

    def _forget(self, key: str, task: asyncio.Task[Reply]) -> None:
        """Drop a finished call and retrieve its error, as its caller may no longer be waiting."""
        del self._asking[key]
        if not task.cancelled():
            task.exception()

    def _endpoint(self, call: Call) -> ModelEndpoint:
        place = call.settings.place
        if place not in self._endpoints:
            self._endpoints[place] = ModelEndpoint(call.settings, tell=self._tell, sent=self._budget.note_request)
        return self._endpoints[place]
