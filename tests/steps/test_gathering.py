"""What waits for many calls leaves none of them behind."""

import asyncio
import warnings

import pytest

from kbe_graph.steps.gathering import gather_all


async def nothing() -> None:
    """Do nothing."""


async def interrupt() -> None:
    """Start many at once, and be cancelled before any of them began."""
    task = asyncio.create_task(gather_all(nothing() for _ in range(3)))  # noqa: RUF006 - it is awaited below
    asyncio.get_running_loop().call_soon(task.cancel)
    await asyncio.sleep(0)
    await task


def test_what_is_cancelled_before_it_began_is_closed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(interrupt())
