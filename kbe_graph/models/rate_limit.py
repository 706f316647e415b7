"""Rate limits of an endpoint: concurrent calls, requests and tokens per minute, and waits that it requests.

anyio limits concurrent calls, and aiolimiter enforces a known rate. Neither discovers an unknown rate
(``AdaptiveRate``). The ``openai`` client waits call by call, and reads only ``Retry-After``.
"""

import asyncio
import math
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiolimiter import AsyncLimiter
    from anyio import CapacityLimiter

LONGEST_WAIT = 10 * 365 * 86_400.0  # seconds: anything longer is nonsense, and cannot be formatted as a date
EPOCH = 1_000_000_000.0  # a larger number is a Unix time in seconds or milliseconds
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
LIMITS = ("requests", "tokens")
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)", re.IGNORECASE)
_DURATION = r"(?:\d+(?:\.\d+)?\s*(?:ms|m(?:in\w*)?|s(?:ec\w*)?|h(?:ours?)?|d(?:ays?)?)(?![a-z])\s*)+"
_ADVICE = re.compile(rf"(?:try again|retry(?:ing)?|wait)\D{{0,20}}?({_DURATION})", re.IGNORECASE)

FIRST_CALLS = 128  # concurrent calls at first; each reply allows one more
SHORTEST, FEWEST = 0.4, 5  # seconds between two refusals, and calls accepted between them, needed for a measurement
CAREFUL = 0.98  # fraction of the measured rate to continue with
AGAIN = 0.93  # fraction of the rate to continue with if a refusal comes too soon to measure
LOWEST = 0.8  # lowest fraction of the rate that one refusal can reduce it to
PROBE = 0.005  # increase per reply while the rate is below the measured one
EAGER = 0.1  # increase per reply above the measured rate
BOLDER = 10.0  # growth of that increase with the rate's relative excess over the measured rate
BOLDEST = 10.0  # maximum factor of that growth
SLOWEST = 0.2  # requests a second
SAVED = 1.0  # seconds of unused turns that may be caught up, as most endpoints allow
FIRST_PAUSE = 0.5  # seconds; doubled at each refusal without a reply in between
LONGEST_PAUSE = 15.0  # seconds, if the endpoint names none
SOON = 0.05  # seconds: a shorter hint is ignored


def wait_hint(headers: Mapping[str, str], message: str = "") -> float | None:
    """Read how many seconds a response asks to wait; None if it does not say or the value is nonsense.

    Sources, in order: ``Retry-After`` in milliseconds, ``Retry-After`` (seconds or a date), wording such as "try again
    in 4.0s", and ``x-ratelimit-reset-...``. Times are relative to the response's own ``Date``.
    """
    now = _seconds(headers.get("date"), 0.0) or time.time()
    milliseconds, advice = _seconds(headers.get("retry-after-ms"), now), _ADVICE.search(message[:2000])
    hints = (
        None if milliseconds is None else milliseconds / 1000,
        _seconds(headers.get("retry-after"), now),
        _duration(advice.group(1)) if advice else None,
        _reset(headers, now),
    )
    return next((min(LONGEST_WAIT, max(0.0, hint)) for hint in hints if hint is not None), None)


def time_after(seconds: float) -> str:
    """Format the time of day ``seconds`` from now, with the date unless it is today."""
    now = datetime.now().astimezone()
    then = now + timedelta(seconds=min(seconds, LONGEST_WAIT))
    return f"{then:%H:%M}" if then.date() == now.date() else f"{then:%Y-%m-%d %H:%M}"


def _seconds(text: str | None, now: float) -> float | None:
    """Parse seconds, a duration such as ``6m0s``, or the seconds until a date or Unix time."""
    with suppress(ValueError):
        number = float(text or "")
        number = number / 1000 if number > 1000 * EPOCH else number
        return None if not math.isfinite(number) else number - now if number > EPOCH else number
    if re.fullmatch(_DURATION, text or "", re.IGNORECASE):
        return _duration(text or "")
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        with suppress(ValueError, TypeError, OverflowError):
            return read(text or "").timestamp() - now
    return None


def _duration(text: str) -> float:
    return sum(float(number) * UNITS[unit.lower()] for number, unit in _PART.findall(text))


def _reset(headers: Mapping[str, str], now: float) -> float | None:
    """Read the reset time of the exhausted limits, or the earliest reset if none is marked as exhausted."""
    named = ((name, _seconds(headers.get(f"x-ratelimit-reset-{name}"), now)) for name in LIMITS)
    waits = {name: wait for name, wait in named if wait is not None}
    used_up = [wait for name, wait in waits.items() if headers.get(f"x-ratelimit-remaining-{name}") == "0"]
    if used_up:
        return max(used_up)
    return min(waits.values()) if waits else _seconds(headers.get("x-ratelimit-reset"), now)


class AdaptiveRate:
    """Estimate of the rate that an endpoint sustains: additive increase, back to the measured rate at each refusal.

    At a refusal the endpoint has no spare capacity, so the number of calls accepted between two refusals, divided by
    the time between them, is the rate that it sustains. The shorter of the intervals between sending and between
    hearing of the refusals counts: the next refusal corrects a rate that is too high, but only waiting corrects one
    that is too low. Before the second refusal there is no rate, only a limit on concurrent calls.
    """

    def __init__(self) -> None:
        self.rate = inf
        self.not_before = 0.0  # earliest time of the next call
        self._before = inf  # the rate before the last refusal
        self._measured = inf
        self._learned = -inf  # when the last refusal arrived
        self._sent = -inf  # when the refused call was sent
        self._period = inf  # seconds between the last two refusals
        self._taken = 0  # calls accepted between them
        self._gone = 0  # calls sent since the last one
        self._next = 0.0
        self._lock = asyncio.Lock()

    async def turn(self) -> None:
        """Wait until the next call may be sent, first come, first served."""
        while (wait := self.not_before - time.monotonic()) > 0:  # noqa: ASYNC110 - the time may move during the wait
            await asyncio.sleep(wait)
        if self.rate < inf:
            async with self._lock:
                while (wait := max(self._next, self.not_before) - time.monotonic()) > 0:  # noqa: ASYNC110 - the same
                    await asyncio.sleep(wait)
                self._next = max(self._next, time.monotonic() - SAVED) + 1 / self.rate
        self._gone += 1

    def note_reply(self) -> None:
        """Raise the rate after a reply.

        If the rate has risen far above the measured one without a refusal, the measurement was taken during a burst of
        refusals. The rate then doubles in about a second.
        """
        if self.rate < self._measured:
            self.rate += PROBE
        elif self.rate < inf:
            self.rate += EAGER * min(BOLDEST, 1.0 + BOLDER * (self.rate / self._measured - 1.0))

    def note_refusal(self, sent_at: float) -> bool:
        """Lower the rate after the refusal of a call sent at ``sent_at``; False if it echoes an earlier refusal."""
        is_new = sent_at > self._learned
        if is_new:
            now = time.monotonic()
            self._period = min(sent_at - self._sent, now - self._learned)
            self._sent, self._learned = sent_at, now
            self._before, self._taken, self._gone = self.rate, self._gone, 0
            self._next = max(self._next, now)
        self._taken -= 1
        if inf > self._period > SHORTEST and self._taken >= FEWEST:
            floor = self._before * LOWEST if self._before < inf else SLOWEST
            self._measured = min(self._before, max(self._taken / self._period, floor))
            self.rate = self._measured * CAREFUL
        elif is_new and self.rate < inf:
            self.rate = max(SLOWEST, self.rate * AGAIN)
        return is_new


class RateLimiter:
    """Limits for the calls to one endpoint, key and model; tied to the event loop it is used in."""

    def __init__(
        self, *, in_flight: int, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self._in_flight = in_flight
        self._adaptive = AdaptiveRate()
        self._pause = 0.0
        self._limiters: dict[str, AsyncLimiter] = {}
        self._a_minute: dict[str, float] = {}
        self._configured = {"requests": requests_per_minute, "tokens": tokens_per_minute}
        for name, a_minute in self._configured.items():
            self._limit(name, a_minute)

    @cached_property
    def _calls(self) -> "CapacityLimiter":
        """Limit on concurrent calls: low at first, one more for each reply, fewer after a refusal."""
        from anyio import CapacityLimiter

        return CapacityLimiter(min(FIRST_CALLS, self._in_flight))

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[float]:
        """Wait for the turn of a call of ``tokens`` tokens, and yield the time at which it is sent."""
        async with self._calls:
            for name, amount in (("requests", 1.0), ("tokens", float(tokens))):
                if limiter := self._limiters.get(name):
                    await limiter.acquire(min(amount, limiter.max_rate))
            await self._adaptive.turn()
            yield time.monotonic()

    def note_reply(self, headers: Mapping[str, str]) -> None:
        """Speed up after a successful response, within the limits in its ``x-ratelimit-limit-...`` headers."""
        self._pause = 0.0
        self._adaptive.note_reply()
        if self._calls.total_tokens < self._in_flight:
            self._calls.total_tokens += 1
        for name in LIMITS:
            if self._configured[name] is None and (named := headers.get(f"x-ratelimit-limit-{name}")):
                self._limit(name, float(named) if named.isdigit() else None)

    def note_refusal(self, sent_at: float, retry_after: float | None) -> float:
        """Slow down after the refusal of a call sent at ``sent_at``, and return the pause in seconds for all calls.

        The pause is ``retry_after`` if the endpoint names it, and otherwise doubles at each refusal.
        """
        is_new = self._adaptive.note_refusal(sent_at)
        if is_new and self._adaptive.rate == inf:
            self._calls.total_tokens = max(1, self._calls.total_tokens // 2)
        if (retry_after or 0.0) < SOON:
            if not is_new:
                return 0.0
            retry_after = self._pause = min(LONGEST_PAUSE, 2 * self._pause or FIRST_PAUSE)
        pause = retry_after or 0.0
        self._adaptive.not_before = max(self._adaptive.not_before, time.monotonic() + pause)
        return pause

    def _limit(self, name: str, a_minute: float | None) -> None:
        """Set a limit as a small bucket: one second of requests (at least one), or ten seconds of tokens.

        A minute's worth of calls is thus not sent at once.
        """
        if not a_minute or self._a_minute.get(name) == a_minute:
            return
        from aiolimiter import AsyncLimiter

        self._a_minute[name] = a_minute
        seconds = max(1.0, 60.0 / a_minute) if name == "requests" else 10.0
        self._limiters[name] = AsyncLimiter(a_minute / 60.0 * seconds, seconds)
