"""How fast an endpoint is asked: calls at once, requests and tokens a minute, and the pauses that it asks for."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiolimiter import AsyncLimiter

FIRST = 128  # calls at once to begin with; each reply allows one more
SHORTEST, FEWEST = 0.4, 5  # seconds between two noes, and calls taken between them, that can be measured
CAREFUL = 0.98  # the part of the measured rate to go on with
AGAIN = 0.93  # the part of the rate to go on with where a no comes too soon to measure
LOWEST = 0.8  # the part of the rate that one no brings it down to at the most
PROBE = 0.005  # what each reply adds to the rate while it is below the one that was measured
EAGER = 0.1  # and once it is above it
BOLDER = 10.0  # how much faster still, for each part of the measured rate that it is above it without a no
BOLDEST = 10.0  # times, at the most
SLOWEST = 0.2  # requests a second
SAVED = 1.0  # seconds of turns not taken that may be made up for, as most endpoints reckon
FIRST_PAUSE = 0.5  # seconds; doubled each time that nothing but a no comes after it
LONGEST = 15.0  # seconds of the longest pause that is made without being told
SOON = 0.05  # seconds: to be told to wait for less is to be told nothing


class Climb:
    """Finds the rate that an endpoint bears: additive increase, and back to the measured rate at each no.

    At a no the endpoint has nothing to spare; so the calls it took between two of them, by the time between them, are
    what it bears. When it had nothing left lies between sending and hearing, so the shorter time counts: a rate too
    high is put right by the next no, one too low only by waiting. Before the second no there is no rate, only calls
    at once.
    """

    def __init__(self) -> None:
        self.rate = inf
        self.not_before = 0.0  # when the next call may go at all
        self._before = inf  # the rate before the last no
        self._measured = inf
        self._learned = -inf  # when the last no came
        self._sent = -inf  # when the call went that got it
        self._period = inf  # seconds between the last two
        self._taken = 0  # calls taken between them
        self._gone = 0  # calls gone since the last
        self._next = 0.0
        self._lock = asyncio.Lock()

    async def turn(self) -> None:
        """Wait until the next call may go, first come, first served."""
        while (wait := self.not_before - time.monotonic()) > 0:  # noqa: ASYNC110 - it moves while it is waited for
            await asyncio.sleep(wait)
        if self.rate == inf:
            return
        async with self._lock:
            while (wait := max(self._next, self.not_before) - time.monotonic()) > 0:  # noqa: ASYNC110 - the same
                await asyncio.sleep(wait)
            self._next = max(self._next, time.monotonic() - SAVED) + 1 / self.rate

    def note_sent(self) -> None:
        """Note a call that goes out."""
        self._gone += 1

    def note_reply(self) -> None:
        """Note a reply.

        The further the rate is above the measured one without a no, the less that one is worth: it was measured in a
        storm, and the rate doubles in about a second until the next no.
        """
        if self.rate < self._measured:
            self.rate += PROBE
        elif self.rate < inf:
            self.rate += EAGER * min(BOLDEST, 1.0 + BOLDER * (self.rate / self._measured - 1.0))

    def note_refusal(self, sent_at: float) -> bool:
        """Note that a call sent at this time was refused; return whether that is news, not the echo of a burst."""
        news = sent_at > self._learned
        if news:
            now = time.monotonic()
            self._period = min(sent_at - self._sent, now - self._learned)
            self._sent, self._learned = sent_at, now
            self._before, self._taken, self._gone = self.rate, self._gone, 0
        self._taken -= 1
        if inf > self._period > SHORTEST and self._taken >= FEWEST:
            floor = self._before * LOWEST if self._before < inf else SLOWEST
            self._measured = min(self._before, max(self._taken / self._period, floor))
            self.rate = self._measured * CAREFUL
        elif news and self.rate < inf:
            self.rate = max(SLOWEST, self.rate * AGAIN)
        if news:
            self._next = max(self._next, time.monotonic())
        return news


class Slots:
    """Calls at once: few to begin with, one more for each reply, never more than ``most``."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0
        self._open = min(FIRST, most)
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        """Wait for a slot."""
        if self.taken < self._open and not self._waiting:
            self.taken += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give()
            raise

    def give(self) -> None:
        """Give a slot back."""
        self.taken -= 1
        self._wake()

    def grow(self) -> None:
        """Allow one more call at once."""
        if self._open < self.most:
            self._open += 1
            self._wake()

    def halve(self) -> None:
        """Allow half as many calls at once."""
        self._open = max(1, self._open // 2)

    def _wake(self) -> None:
        while self._waiting and self.taken < self._open:
            turn = self._waiting.popleft()
            if not turn.done():
                self.taken += 1
                turn.set_result(None)


class Pace:
    """The pace of one endpoint, key and model, shared by all calls to it; belongs to the event loop it is used in."""

    def __init__(
        self, *, in_flight: int, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self.slots = Slots(in_flight)
        self._climb = Climb()
        self._pause = 0.0
        self._limits: dict[str, float] = {}
        self._limiters: dict[str, AsyncLimiter] = {}
        self._configured = {"requests": requests_per_minute, "tokens": tokens_per_minute}
        for name, a_minute in self._configured.items():
            self._limit(name, a_minute)

    @property
    def rate(self) -> float:
        """Requests a second that the endpoint was found to bear; infinite while it never said no."""
        return self._climb.rate

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[float]:
        """Wait for the turn of a call of so many tokens, yield the time it goes out, and hold its slot to the end."""
        await self.slots.take()
        try:
            for name, amount in (("requests", 1.0), ("tokens", float(tokens))):
                if limiter := self._limiters.get(name):
                    await limiter.acquire(min(amount, limiter.max_rate))
            await self._climb.turn()
            self._climb.note_sent()
            yield time.monotonic()
        finally:
            self.slots.give()

    def note_reply(self, headers: Mapping[str, str]) -> None:
        """Note an answer that was no refusal, with the limits a minute in its headers (``x-ratelimit-limit-...``)."""
        self._pause = 0.0
        self._climb.note_reply()
        self.slots.grow()
        for name in ("requests", "tokens"):
            if self._configured[name] is None and (named := headers.get(f"x-ratelimit-limit-{name}")):
                self._limit(name, float(named) if named.isdigit() else None)

    def note_refusal(self, sent_at: float, retry_after: float | None) -> float:
        """Note that a call sent at this time came too soon; return the seconds that nothing goes out for.

        They are ``retry_after`` where the endpoint says so, else they are doubled at each no.
        """
        news = self._climb.note_refusal(sent_at)
        if news and self._climb.rate == inf:
            self.slots.halve()
        if (retry_after or 0.0) < SOON:
            if not news:
                return 0.0
            retry_after = self._pause = min(LONGEST, 2 * self._pause or FIRST_PAUSE)
        pause = retry_after or 0.0
        self._climb.not_before = max(self._climb.not_before, time.monotonic() + pause)
        return pause

    def _limit(self, name: str, a_minute: float | None) -> None:
        """Set a limit as a bucket of a second's worth, at least a request: a minute's calls do not go out at once."""
        if not a_minute or self._limits.get(name) == a_minute:
            return
        from aiolimiter import AsyncLimiter

        self._limits[name] = a_minute
        seconds = max(1.0, 60.0 / a_minute) if name == "requests" else 10.0
        self._limiters[name] = AsyncLimiter(a_minute / 60.0 * seconds, seconds)
