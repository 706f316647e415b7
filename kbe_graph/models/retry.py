"""The one layer that retries: the table of faults says how often a failure may end a call."""

import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from kbe_graph.errors import ModelUnavailable, ReplyError
from kbe_graph.models.failures import CallFailed, one_line
from kbe_graph.models.wait_hint import time_after

if TYPE_CHECKING:
    from tenacity import RetryCallState

SHORTEST, LONGEST = 0.5, 30.0  # seconds between tries, doubled each time
QUIET, SELDOM = 5.0, 30.0  # seconds without an answer before that is said, and until it is said again
FEW = 3  # calls given up one after the other that do not mean that the endpoint is down
NO_TRIES: Mapping[str, int] = MappingProxyType({})
Answer = TypeVar("Answer")


class Patience:
    """How long an endpoint is borne that does not answer: ``seconds`` from its last answer on, whoever got it.

    ``tell`` is told what is waited for, where it takes long.
    """

    def __init__(self, seconds: float, url: str = "", *, tell: Callable[[str], None] = lambda _: None) -> None:
        self.seconds = seconds
        self._url, self._tell = url, tell
        self._answered = -float("inf")
        self._told = -float("inf")
        self._lost = 0  # calls given up since the last answer

    def note_answer(self) -> None:
        """Note that a call was answered."""
        self._answered = time.monotonic()
        self._lost = 0

    def is_alone(self, since: float) -> bool:
        """Return whether a call that is given up, and failed first at this time, seems to be the only one in trouble.

        Others were answered since, or were before it and few were given up after that.
        """
        if self._answered >= since:
            return True
        self._lost += 1
        return self._answered > -float("inf") and self._lost <= FEW

    def is_over(self, since: float) -> bool:
        """Return whether nothing was answered for too long; ``since`` is when the call that asks failed first."""
        return time.monotonic() - max(since, self._answered) > self.seconds

    def is_beyond(self, failed: CallFailed) -> bool:
        """Return whether the endpoint asks to wait for longer than that."""
        return failed.retry_after is not None and failed.retry_after > self.seconds

    def tell_failure(self, failed: CallFailed, since: float) -> None:
        """Say that the endpoint does not answer, where that has lasted, and not too often."""
        now, quiet_since = time.monotonic(), max(since, self._answered)
        if now - quiet_since > QUIET and now - self._told > SELDOM:
            self._told = now
            until = time_after(quiet_since + self.seconds - now)
            self._tell(f"{self._url} does not answer ({one_line(failed.message)}); it is asked again until {until}")

    def tell_pause(self, seconds: float) -> None:
        """Say that all calls wait, where that takes long."""
        now = time.monotonic()
        if seconds > QUIET and now - self._told > SELDOM:
            self._told = now
            self._tell(f"{self._url} asks to wait; going on in {seconds:.0f} s, at {time_after(seconds)}")


async def with_retries(
    attempt: Callable[[], Awaitable[Answer]], patience: Patience, tries: Mapping[str, int] = NO_TRIES
) -> Answer:
    """Return what the attempt gives, made again as the table of faults says; raises the last CallFailed.

    The endpoint's faults are retried as long as the patience lasts. A call that came too soon waits in the pace, not
    here. ``tries`` are those made before, by the kind of their failure.
    """
    try:
        answer = await attempt()
    except CallFailed as failed:
        first = failed
    else:
        patience.note_answer()
        return answer
    return await _Retrial(patience, tries).answer(first, attempt)


class _Retrial:
    """What comes after a first failure."""

    def __init__(self, patience: Patience, tries: Mapping[str, int]) -> None:
        self._patience = patience
        self._since = time.monotonic()
        self._ends: Counter[str] = Counter(tries)

    async def answer(self, first: CallFailed, attempt: Callable[[], Awaitable[Answer]]) -> Answer:
        """Return what a later attempt gives after the first one failed; raises CallFailed where it is given up."""
        from tenacity import AsyncRetrying, retry_if_exception_type  # a retrying object is made for failed calls alone

        waiting = [first]

        async def attempt_again() -> Answer:
            """Fail as the first attempt did, then attempt it anew: so the wait comes first."""
            if waiting:
                raise waiting.pop()
            return await attempt()

        retrying = AsyncRetrying(
            retry=retry_if_exception_type(CallFailed), stop=self._is_given_up, wait=self._wait, reraise=True
        )
        try:
            answer: Answer = await retrying(attempt_again)
        except CallFailed as failed:
            raise self._last(failed) from None
        self._patience.note_answer()
        return answer

    def _is_given_up(self, state: "RetryCallState") -> bool:
        failed, patience = _failure(state), self._patience
        self._ends[failed.fault.kind] += 1
        if failed.fault.error is ReplyError:
            patience.note_answer()
        too_long = failed.fault.error is ModelUnavailable and patience.is_over(self._since)
        return too_long or patience.is_beyond(failed) or self._ends[failed.fault.kind] >= failed.fault.tries

    def _wait(self, state: "RetryCallState") -> float:
        """Return the seconds to wait."""
        failed = _failure(state)
        self._patience.tell_failure(failed, self._since)
        if not failed.fault.waits:
            return 0.0
        if failed.retry_after is not None:
            return failed.retry_after
        doubled: float = SHORTEST * 2.0 ** (self._ends[failed.fault.kind] - 1)
        return min(LONGEST, doubled) * random.uniform(0.5, 1.0)

    def _last(self, failed: CallFailed) -> CallFailed:
        """Return the failure that a call is given up with."""
        if self._patience.is_beyond(failed) and failed.fault.error is ModelUnavailable:
            return failed.as_kind("limit", f"{time_after(failed.retry_after or 0)} ({one_line(failed.message)})")
        failed.alone = failed.fault.error is ModelUnavailable and self._patience.is_alone(self._since)
        return failed


def _failure(state: "RetryCallState") -> CallFailed:
    failed = state.outcome.exception() if state.outcome else None
    if not isinstance(failed, CallFailed):
        raise TypeError(failed)
    return failed
