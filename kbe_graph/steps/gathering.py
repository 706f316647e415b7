"""Waits for many calls at once."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

from kbe_graph.errors import ReplyAwaited

T = TypeVar("T")


async def gathered(waited: Iterable[Awaitable[T]]) -> list[T]:
    """Return all results.

    Where one fails, the others are given up, and its error is raised; calls that are out are kept by the model as it closes.
    Where replies are still to come (ReplyAwaited), the others go on first, so that one wave holds all that can be asked.
    """
    tasks = [asyncio.ensure_future(_held(one)) for one in waited]
    try:
        results = await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    for result in results:
        if isinstance(result, ReplyAwaited):
            raise result
    return [result for result in results if not isinstance(result, ReplyAwaited)]


async def _held(waited: Awaitable[T]) -> T | ReplyAwaited:
    try:
        return await waited
    except ReplyAwaited as awaited:
        return awaited
