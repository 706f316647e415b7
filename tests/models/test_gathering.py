"""What waits for many calls leaves none of them behind."""

import asyncio
import warnings

import pytest

from kbe_graph.models.loop import gather_all


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


async def number_of(number: int, begun: list[int], *, failing: bool = False) -> int:
    """Note the beginning, wait, and give the number back."""
    begun.append(number)
    await asyncio.sleep(0)
    if failing:
        raise ValueError(str(number))
    return number


def test_a_failure_while_others_have_not_begun_is_raised_itself_and_they_do_not_begin() -> None:
    begun: list[int] = []
    with pytest.raises(ValueError, match="1"):
        asyncio.run(gather_all(number_of(number, begun, failing=number == 1) for number in range(100)))
    assert len(begun) < 10
