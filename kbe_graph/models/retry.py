"""Retries by the fault table, and a circuit breaker for a run whose calls all fail in the same way.

tenacity makes the attempts after a first failure. The ``openai`` client's own retries are off: they count per call and
not per endpoint, retry an exhausted quota, and may start a batch twice.
"""

import asyncio
import random
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from kbe_graph.errors import ModelError, ModelUnavailable, ReplyError
from kbe_graph.models.failures import CallFailed, one_line
from kbe_graph.models.rate_limit import time_after

if TYPE_CHECKING:
    from tenacity import RetryCallState

FIRST_WAIT, LONGEST_WAIT = 0.25, 30.0  # seconds between tries, doubled each time
QUIET, SELDOM = 5.0, 30.0  # seconds without a response before it is reported, and between reports
FEW = 3  # consecutive calls given up before the endpoint counts as down
NO_TRIES: Mapping[str, int] = MappingProxyType({})
Answer = TypeVar("Answer")

FIRST_CALLS = 20  # per step that are examined
SHARE = 0.8  # of them that may fail in the same way
SHOWN = "`work.models.failed_calls()` lists the failed calls"
# advice for each kind of failure
ADVICE = {
    "cut": "raise max_tokens in [models.{step}]",
    "refused": "choose another model in [models.{step}]",
    "filtered": "choose another model or endpoint in [models.{step}]",
    "request": "turn off what it does not accept in [models.capabilities], or choose another model in [models.{step}]",
    "too long": "choose a model in [models.{step}] that accepts longer prompts, or a smaller image_side",
    "invalid": "choose another model in [models.{step}]",
    "empty": "raise max_tokens in [models.{step}], because reasoning models need more, or choose another model",
}
ANY_ADVICE = "check the log of the endpoint, or set another one in [models.{step}]"


class Patience:
    """Tolerance of ``seconds`` for an unresponsive endpoint, counted from its last answer to any call.

    ``tell`` receives a line about each long wait.
    """

    def __init__(self, seconds: float, url: str = "", *, tell: Callable[[str], None] = lambda _: None) -> None:
        self.seconds = seconds
        self._url, self._tell = url, tell
        self._answered = -float("inf")
        self._told = -float("inf")
        self._lost = 0  # calls given up since the last answer

    def note_answer(self) -> None:
        """Restart the patience from now."""
        self._answered = time.monotonic()
        self._lost = 0

    def is_alone(self, since: float) -> bool:
        """Count a call given up that first failed at ``since``; True unless the endpoint seems to be down.

        The endpoint is up if it has answered other calls since, or did earlier and few calls were given up after that.
        """
        if self._answered >= since:
            return True
        self._lost += 1
        return self._answered > -float("inf") and self._lost <= FEW

    def is_over(self, since: float) -> bool:
        """Return True if no call was answered for too long; the current call first failed at ``since``."""
        return time.monotonic() - max(since, self._answered) > self.seconds

    def is_beyond(self, failed: CallFailed) -> bool:
        """Return True if the endpoint asks to wait longer than the patience."""
        return failed.retry_after is not None and failed.retry_after > self.seconds

    def tell_failure(self, failed: CallFailed, since: float) -> None:
        """Report an unresponsive endpoint, once that has lasted a while and not too often."""
        now, quiet_since = time.monotonic(), max(since, self._answered)
        if now - quiet_since > QUIET and now - self._told > SELDOM:
            self._told = now
            until = time_after(quiet_since + self.seconds - now)
            self._tell(f"{self._url} does not answer ({one_line(failed.message)}); retrying until {until}")

    def tell_pause(self, seconds: float) -> None:
        """Report a long pause of all calls, not too often."""
        now = time.monotonic()
        if seconds > QUIET and now - self._told > SELDOM:
            self._told = now
            self._tell(f"{self._url} asks clients to wait; continuing in {seconds:.0f} s, at {time_after(seconds)}")


async def with_retries(
    attempt: Callable[[], Awaitable[Answer]], patience: Patience, tries: Mapping[str, int] = NO_TRIES
) -> Answer:
    """Make an attempt, retry it by the fault table, and return its answer; raises the last CallFailed.

    ``tries`` counts the failures of earlier commands, by kind. A rate-limited call waits in the rate limiter, not here.
    """
    try:
        answer = await attempt()
    except CallFailed as failed:
        answer = await _RetryPolicy(patience, tries).try_again(failed, attempt)
    patience.note_answer()
    return answer


class _RetryPolicy:
    """Retries of one call, limited by kind of failure, which tenacity does not count."""

    def __init__(self, patience: Patience, tries: Mapping[str, int]) -> None:
        self._patience = patience
        self._tries = Counter(tries)
        self._since = 0.0  # time of the first failure
        self._failed: CallFailed

    async def try_again(self, failed: CallFailed, attempt: Callable[[], Awaitable[Answer]]) -> Answer:
        """Retry after a first failure; tenacity starts only here, as it would slow down each successful call."""
        from tenacity import AsyncRetrying, retry_if_exception

        async def attempt_once() -> Answer:
            """Make the attempt; tenacity only awaits coroutine functions."""
            return await attempt()

        try:
            if not self.is_retried(failed):
                raise failed
            await asyncio.sleep(self.wait())
            answer: Answer = await AsyncRetrying(retry=retry_if_exception(self.is_retried), wait=self.wait)(
                attempt_once
            )
        except CallFailed as last:
            raise self.last_failure(last) from None
        return answer

    def is_retried(self, error: BaseException) -> bool:
        """Count a failure; return True if the call may be tried again."""
        if not isinstance(error, CallFailed):
            return False
        self._failed, fault, patience = error, error.fault, self._patience
        self._since = self._since or time.monotonic()
        self._tries[fault.kind] += 1
        if fault.error is ReplyError:
            patience.note_answer()
        is_too_long = fault.error is ModelUnavailable and patience.is_over(self._since)
        return not (is_too_long or patience.is_beyond(error) or self._tries[fault.kind] >= fault.tries)

    def wait(self, _: "RetryCallState | None" = None) -> float:
        """Calculate the seconds until the next try."""
        failed = self._failed
        self._patience.tell_failure(failed, self._since)
        if not failed.fault.waits:
            return 0.0
        if failed.retry_after is not None:
            return failed.retry_after
        doubled: float = FIRST_WAIT * 2.0 ** (self._tries[failed.fault.kind] - 1)
        return min(LONGEST_WAIT, doubled) * random.uniform(0.5, 1.0)

    def last_failure(self, failed: CallFailed) -> CallFailed:
        """Complete the failure with which a call is given up."""
        if self._patience.is_beyond(failed) and failed.fault.error is ModelUnavailable:
            return failed.as_kind("limit", f"{time_after(failed.retry_after or 0)} ({one_line(failed.message)})")
        failed.alone = failed.fault.error is ModelUnavailable and self._patience.is_alone(self._since)
        return failed


class CircuitBreaker:
    """Breaker that stops a run if a step's first calls in this process fail in the same way.

    Cached replies count as successes.
    """

    def __init__(self) -> None:
        self._ends: dict[str, Counter[str]] = defaultdict(Counter)
        self._last: dict[str, str] = {}
        self._stopped = ""

    def note_reply(self, step: str) -> None:
        """Count a usable reply."""
        self._ends[step][""] += 1

    def note_failure(self, step: str, error: ReplyError) -> None:
        """Count a call that was given up; raises ModelError if the run is to stop."""
        ends = self._ends[step]
        ends[error.kind] += 1
        self._last[step] = str(error)
        (kind, most), *_ = ends.most_common(1)
        if kind and ends.total() == FIRST_CALLS and most > SHARE * FIRST_CALLS:
            self._stopped = self._message(
                step, f"{most} of the first {FIRST_CALLS} calls of step {step!r} failed in the same way", kind
            )
        self.check()

    def check(self) -> None:
        """Raise ModelError if the run was stopped."""
        if self._stopped:
            raise ModelError(self._stopped)

    def check_end(self) -> None:
        """Raise ModelError if calls failed and no reply was usable."""
        if not self._last or any(ends[""] for ends in self._ends.values()):
            return
        step = max(self._last, key=lambda step: self._ends[step].total())
        (kind, _), *_ = self._ends[step].most_common(1)
        count = sum(ends.total() for ends in self._ends.values())
        raise ModelError(self._message(step, f"none of {count} calls returned a usable reply", kind))

    def _message(self, step: str, what: str, kind: str) -> str:
        advice = ADVICE.get(kind, ANY_ADVICE).format(step=step)
        return f"{what} ({kind}: {self._last[step]}); {advice}; {SHOWN}; then run the same command again"
