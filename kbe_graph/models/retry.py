"""The one retry layer: each failure may end a call so and so often, as the table of faults says."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from kbe_graph.errors import ModelUnavailable
from kbe_graph.models.faults import CallFailed

if TYPE_CHECKING:
    from tenacity import RetryCallState

SHORTEST, LONGEST = 0.5, 30.0  # seconds between tries, doubled each time
Answer = TypeVar("Answer")


async def persist(attempt: Callable[[], Awaitable[Answer]], *, patience: float) -> Answer:
    """Return what the attempt gives, tried again as the table says; raises the last CallFailed.

    The endpoint's troubles are borne for ``patience`` seconds. Where a call came too soon, the pace waits, not this.
    """
    try:
        return await attempt()
    except CallFailed as failed:
        first = failed
    return await _again(first, attempt, patience)


async def _again(first: CallFailed, attempt: Callable[[], Awaitable[Answer]], patience: float) -> Answer:
    """Go on after a first failure: tenacity is made only for the few calls that need it."""
    from tenacity import AsyncRetrying, retry_if_exception_type

    ends: Counter[str] = Counter()
    waiting = [first]

    async def one() -> Answer:
        if waiting:
            raise waiting.pop()
        return await attempt()

    def given_up(state: "RetryCallState") -> bool:
        failed = _failure(state)
        ends[failed.fault.kind] += 1
        too_long = failed.fault.error is ModelUnavailable and (state.seconds_since_start or 0.0) > patience
        return too_long or ends[failed.fault.kind] >= failed.fault.tries

    def wait(state: "RetryCallState") -> float:
        return _wait(_failure(state), ends)

    retrying = AsyncRetrying(retry=retry_if_exception_type(CallFailed), stop=given_up, wait=wait, reraise=True)
    return await retrying(one)


def _failure(state: "RetryCallState") -> CallFailed:
    failed = state.outcome.exception() if state.outcome else None
    if not isinstance(failed, CallFailed):
        raise TypeError(failed)
    return failed


def _wait(failed: CallFailed, ends: Counter[str]) -> float:
    """Return the seconds to wait: none where the pace waits for all or the reply itself was at fault."""
    if failed.fault.kind == "pace" or failed.raw or failed.retry_after is not None:
        return 0.0
    doubled: float = SHORTEST * 2.0 ** (ends[failed.fault.kind] - 1)
    return min(LONGEST, doubled) * random.uniform(0.5, 1.0)
