"""The one layer that retries: the table of faults says how often a failure may end a call."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from kbe_graph.errors import ModelUnavailable
from kbe_graph.models.failures import CallFailed

if TYPE_CHECKING:
    from tenacity import RetryCallState

SHORTEST, LONGEST = 0.5, 30.0  # seconds between tries, doubled each time
Answer = TypeVar("Answer")


async def with_retries(attempt: Callable[[], Awaitable[Answer]], *, patience: float) -> Answer:
    """Return what the attempt gives, made again as the table of faults says; raises the last CallFailed.

    The endpoint's faults are retried for up to ``patience`` seconds. A call that came too soon waits in the pace, not
    here.
    """
    try:
        return await attempt()
    except CallFailed as failed:
        first = failed
    return await _retry(first, attempt, patience)


async def _retry(first: CallFailed, attempt: Callable[[], Awaitable[Answer]], patience: float) -> Answer:
    """Go on after a first failure."""
    from tenacity import AsyncRetrying, retry_if_exception_type  # a retrying object is made for failed calls alone

    ends: Counter[str] = Counter()
    waiting = [first]

    async def attempt_again() -> Answer:
        if waiting:
            raise waiting.pop()
        return await attempt()

    def is_given_up(state: "RetryCallState") -> bool:
        failed = _failure(state)
        ends[failed.fault.kind] += 1
        too_long = failed.fault.error is ModelUnavailable and (state.seconds_since_start or 0.0) > patience
        return too_long or ends[failed.fault.kind] >= failed.fault.tries

    def wait(state: "RetryCallState") -> float:
        return _wait(_failure(state), ends)

    retrying = AsyncRetrying(retry=retry_if_exception_type(CallFailed), stop=is_given_up, wait=wait, reraise=True)
    return await retrying(attempt_again)


def _failure(state: "RetryCallState") -> CallFailed:
    failed = state.outcome.exception() if state.outcome else None
    if not isinstance(failed, CallFailed):
        raise TypeError(failed)
    return failed


def _wait(failed: CallFailed, ends: Counter[str]) -> float:
    """Return the seconds to wait: none where the pace makes all calls wait, or where the reply itself was at fault."""
    if failed.fault.kind == "pace" or failed.raw or failed.retry_after is not None:
        return 0.0
    doubled: float = SHORTEST * 2.0 ** (ends[failed.fault.kind] - 1)
    return min(LONGEST, doubled) * random.uniform(0.5, 1.0)
