"""The direct runner: asks endpoints over the network, and keeps every call."""

import asyncio
from collections import Counter
from functools import partial
from typing import NamedTuple, Self

from kbe_graph.models.budget import Budget
from kbe_graph.models.calls import CallStore
from kbe_graph.models.endpoint import Endpoint
from kbe_graph.models.faults import CallFailed
from kbe_graph.models.images import Images
from kbe_graph.models.kept import kept_reply
from kbe_graph.models.paying import Paying
from kbe_graph.models.request import Check, Reply, Request
from kbe_graph.models.settings import ModelBook
from kbe_graph.models.wire import Call, call_of

DRAIN = 0.5  # seconds between looks at the calls that are still in flight


class Progress(NamedTuple):
    """What this process did so far: calls made, hits, failed calls, calls in flight, dollars."""

    calls: int
    hits: int
    failed: int
    in_flight: int
    dollars: float


class DirectModel:
    """Asks each step's endpoint, within a budget, and keeps the calls; use it with ``async with``.

    The same request asked twice at once is one call.
    """

    def __init__(
        self, book: ModelBook, store: CallStore, *, images: Images | None = None, budget: Budget | None = None
    ) -> None:
        self._book = book
        self._store = store
        self._images = images or Images()
        self._budget = budget or Budget()
        self._endpoints: dict[tuple[str, str, str], Endpoint] = {}
        self._asking: dict[str, asyncio.Task[Reply]] = {}
        self._counts: Counter[str] = Counter()

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a whole reply, from the store or the endpoint; see ``Model``."""
        call = call_of(request, self._book.settings_for(request.step), self._images)
        if reply := await kept_reply(self._store, call, check):
            self._counts["hits"] += 1
            return reply
        if call.key not in self._asking:
            self._asking[call.key] = asyncio.create_task(self._pay(call, check))
            self._asking[call.key].add_done_callback(partial(self._ended, call.key))
        return await asyncio.shield(self._asking[call.key])

    @property
    def progress(self) -> Progress:
        """What this process did so far."""
        counts = self._counts
        return Progress(counts["calls"], counts["hits"], counts["failed"], counts["in flight"], self._budget.spent)

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

    async def _pay(self, call: Call, check: Check | None) -> Reply:
        reserved = await self._budget.reserve(call)
        self._counts["in flight"] += 1
        paying = Paying(call, check, self._store, self._images, self._endpoint(call))
        dollars: float | None = 0.0
        try:
            reply = await paying.reply()
            dollars = paying.dollars
        except CallFailed as failed:
            self._counts["failed"] += 1
            dollars = None if paying.timed_out else paying.dollars
            place = {"model": call.settings.model, "url": call.settings.base_url, "step": call.request.step}
            raise failed.error(**place) from None
        finally:
            self._counts["in flight"] -= 1
            self._budget.settle(reserved, dollars)
        self._counts["calls"] += 1
        return reply

    def _ended(self, key: str, task: asyncio.Task[Reply]) -> None:
        """Forget a call that ended; its error is taken note of, as whoever asked may be gone."""
        del self._asking[key]
        if not task.cancelled():
            task.exception()

    def _endpoint(self, call: Call) -> Endpoint:
        place = call.settings.place
        if place not in self._endpoints:
            self._endpoints[place] = Endpoint(call.settings)
        return self._endpoints[place]
