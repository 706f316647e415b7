"""Model that asks endpoints over the network. A call is: cache, budget, send, parse, store."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Self

from kbe_graph.errors import KbeError, ModelError, ReplyError
from kbe_graph.models.call_store import CallStore, Cost, cost_of
from kbe_graph.models.cost import Budget
from kbe_graph.models.images import Images
from kbe_graph.models.reply import BUSY, MOST_BYTES, CallFailed, one_line, read_completion
from kbe_graph.models.request import FORMAT, Call, Check, Reply, Request, call_of
from kbe_graph.models.settings import ModelBook, ModelSettings
from kbe_graph.models.transport import Endpoint

DRAIN = 0.5  # seconds between checks for calls still in flight
FOR_FORMAT = {"request", "server", "blank"}  # failures that may be the fault of a ``response_format``
OF_ENDPOINT = (*BUSY, "request", "too long", "broken", "filtered")  # failures without a reply to judge
FIRST_CALLS = 20  # calls of a step that may fail before the first reply that it ever had

_ADDRESS = "check base_url and model"
_ADVICE = dict.fromkeys((*BUSY, "broken"), f"{_ADDRESS}; ") | dict.fromkeys(
    FOR_FORMAT, f"{_ADDRESS}, and name the fields that it does not accept in [models] drop; "
)
_SHOWN = "look at the failed calls (`kbe calls failures`), then run the same command again"


class CallProgress(NamedTuple):
    """Call counts of this process so far.

    ``calls`` were paid for, ``hits`` came from the cache, ``failed`` were given up, and ``in_flight`` have not
    returned.
    """

    calls: int
    hits: int
    failed: int
    in_flight: int
    dollars: float


class DirectModel:
    """Model that calls each step's endpoint within a budget and stores the calls; use it with ``async with``.

    Identical concurrent requests share one call. Models may share a budget; the progress counts only this model's
    calls. ``tell`` receives a line about each long wait, and about an endpoint that accepts no ``response_format``.
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
        self._before = self._budget.calls_made, self._budget.spent
        self._endpoints: dict[tuple[str, str, str], Endpoint] = {}
        self._asking: dict[str, asyncio.Task[Reply]] = {}
        self._counts: Counter[str] = Counter()
        self._useless: Counter[str] = Counter()  # by step, of steps that never had a usable reply
        self._stopped = self._last = ""
        self._given_up: dict[str, list[str]] = {}  # messages by kind
        self._probing = asyncio.Lock()

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a complete reply from the store or the endpoint; see ``Model``.

        A kept reply that ``check`` no longer accepts is asked for once more. Also raises ModelError if the first calls
        of a step all failed.
        """
        call, tries = call_of(request, self._book.settings_for(request.step), self._images), Counter[str]()
        try:
            reply = self._store.reply(call, check)
        except CallFailed:
            reply, tries = None, Counter({"invalid": 1})
        if reply:
            self._counts["hits"] += 1
        else:
            if call.key not in self._asking:
                self._asking[call.key] = asyncio.create_task(self._pay_for(call, check, tries))
                self._asking[call.key].add_done_callback(partial(self._forget, call.key))
            reply = await asyncio.shield(self._asking[call.key])
        self._counts["usable"] += 1
        self._useless.pop(request.step, None)
        return reply

    @property
    def progress(self) -> CallProgress:
        """The call counts and dollars so far."""
        counts, budget, (calls, spent) = self._counts, self._budget, self._before
        made, dollars = budget.calls_made - calls, budget.spent - spent
        return CallProgress(made, counts["hits"], counts["failed"], budget.in_flight, dollars)

    def tell_refused(self) -> int:
        """Tell how many calls the endpoint refused or lost, and why; return the number of those that it lost.

        Each cost its own question, and no more.
        """
        for kind, messages in self._given_up.items():
            if kind in OF_ENDPOINT and not self._stopped:
                self._tell(
                    f"{len(messages)} calls got no reply ({kind}; the first: {messages[0]}); the same command asks "
                    "again, and 'kbe calls failures' lists them"
                )
        return sum(len(self._given_up.get(kind, ())) for kind in BUSY)

    def check_end(self) -> None:
        """Raise ModelError if no reply was usable, of calls to a new step or of twenty calls."""
        count = self._counts["failed"] if self._counts["failed"] >= FIRST_CALLS else self._useless.total()
        if count and not self._counts["usable"]:
            raise ModelError(f"none of {count} calls returned a usable reply {self._last}")

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

    async def _pay_for(self, call: Call, check: Check | None, tries: Counter[str]) -> Reply:
        if self._stopped:
            raise ModelError(self._stopped)
        if self._budget.is_bounded:
            tries = self._store.tries(call.key)
            if isinstance(error := self._store.error_if_tried_out(call, tries), ReplyError):
                self._budget.given_up.add(call.key)
                raise error
        endpoint = self._endpoint(call.settings)
        has_format = _sends_format(call, endpoint)
        try:
            return await endpoint.until_answered(lambda: self._attempt(call, check, endpoint), tries)
        except CallFailed as failed:
            if has_format and failed.kind in FOR_FORMAT:
                try:
                    if reply := await self._probe(call, check, endpoint, failed):
                        return reply
                except CallFailed as without:
                    failed = without
            raise self._give_up(call, failed, endpoint) from None

    async def _attempt(self, call: Call, check: Check | None, endpoint: Endpoint) -> Reply:
        reserved, cost = await self._budget.reserve(call), None
        try:
            async with endpoint.turn(call.worst_usage.prompt):
                if self._stopped:
                    raise ModelError(self._stopped)
                has_format = _sends_format(call, endpoint)
                shift, drop = self._store.failures(call.key), () if has_format else (FORMAT,)
                encoding, pictures = call.settings.encoding, call.request.images
                is_quick = not call.request.edit and all(self._images.holds(path, encoding) for path in pictures)
                encode = partial(call.encode, self._images, shift=shift, drop=drop)
                content = encode() if is_quick else await asyncio.to_thread(encode)
                self._store.mark(call, "asking")
                try:
                    raw = await endpoint.post(call.path, content, call.most_bytes)
                    reply = call.read(raw, check)
                except CallFailed as failed:
                    if failed.is_paid:
                        cost = cost_of(call, failed.usage)
                        cost = cost if failed.raw else cost._replace(dollars=None)
                        self._store.keep_failure(call, failed, cost)
                    raise
                cost = cost_of(call, reply.usage)
                self._store.keep_reply(call, raw, cost)
        finally:
            self._budget.settle(reserved, cost)
        if has_format and endpoint.takes_format is None:
            endpoint.takes_format = True
        return reply

    async def _probe(self, call: Call, check: Check | None, endpoint: Endpoint, failed: CallFailed) -> Reply | None:
        """Send a failed call without ``response_format``, unless one with it was answered, or without it refused.

        Raises CallFailed for a reply that cannot be used; it shows all the same that the endpoint replies without.
        """
        async with self._probing:
            if endpoint.takes_format:
                return None
            is_known, endpoint.takes_format = endpoint.takes_format is False, False
            try:
                return await self._attempt(call, check, endpoint)
            except CallFailed as without:
                if without.raw:
                    raise
                endpoint.takes_format, is_known = not is_known, True
                return None
            finally:
                if not is_known:
                    self._leave_format_out(call.settings, failed)

    def _leave_format_out(self, settings: ModelSettings, failed: CallFailed) -> None:
        url, model = settings.base_url, settings.model
        if failed.kind == "request":  # other failures may have passed by themselves: the next command sends it again
            self._store.keep_refused_format(url, model)
        self._tell(f"{url} does not accept 'response_format' with model {model!r}; requests leave it out from here")

    def _give_up(self, call: Call, failed: CallFailed, endpoint: Endpoint) -> KbeError:
        """Record that a call was given up: immediately, or at the end of a limited command; return its error.

        Stops the model after the first calls of a step that never had a reply.
        """
        url, step = call.settings.base_url, call.request.step
        if not failed.is_paid:
            self._store.keep_failure(call, failed, Cost())
        error = call.error(failed, is_down=endpoint.is_down(failed, has_replied=self._store.has_replied(url)))
        self._counts["failed"] += 1
        self._last = f"({one_line(str(error))}); {_ADVICE.get(failed.kind, '')}{_SHOWN}"
        self._given_up.setdefault(failed.kind, []).append(one_line(failed.message))
        is_lost = isinstance(error, ReplyError)
        if self._budget.is_bounded and is_lost:
            self._budget.given_up.add(call.key)
        else:
            self._store.give_up(call.key)
        if is_lost and not self._store.has_replied(url, step=step):
            self._useless[step] += 1
            if self._useless[step] >= FIRST_CALLS:
                self._stopped = f"the first {FIRST_CALLS} calls of step {step!r} all failed {self._last}"
                return ModelError(self._stopped)
        return error

    def _forget(self, key: str, task: asyncio.Task[Reply]) -> None:
        del self._asking[key]
        if not task.cancelled():
            task.exception()

    def _endpoint(self, settings: ModelSettings) -> Endpoint:
        if settings.place not in self._endpoints:
            endpoint = Endpoint(settings, tell=self._tell)
            endpoint.takes_format = False if self._store.refuses_format(settings.base_url, settings.model) else None
            self._endpoints[settings.place] = endpoint
        return self._endpoints[settings.place]


async def greeting(settings: ModelSettings) -> str:
    """Ask a model for one word, and return the start of its reply; raises ModelError and ConfigError."""
    words = "Write the single word hello, and nothing else."
    body = {"model": settings.model, "messages": [{"role": "user", "content": words}], **settings.body}
    endpoint = Endpoint(settings)
    try:
        raw = await endpoint.until_answered(
            lambda: endpoint.post("chat/completions", json.dumps(body).encode(), MOST_BYTES)
        )
        return one_line(read_completion(raw).text)[:40]
    except CallFailed as failed:
        raise failed.error(model=settings.model, url=settings.base_url, step=settings.step, is_down=True) from None
    finally:
        await endpoint.close()


def _sends_format(call: Call, endpoint: Endpoint) -> bool:
    settings = call.settings
    is_set = FORMAT in settings.drop or FORMAT in settings.body
    return call.request.schema is not None and not is_set and endpoint.takes_format is not False
