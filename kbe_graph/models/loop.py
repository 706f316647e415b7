"""Event loop helpers: run asynchronous code from synchronous code, and gather many calls."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from threading import Thread
from typing import Any, Self, TypeVar

from kbe_graph.errors import ReplyAwaited
from kbe_graph.types import Progress

Outcome = TypeVar("Outcome")


def run(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Run the coroutine in a new event loop and return its result.

    If this thread already has a running loop, as in Jupyter, the new loop runs in another thread and this one waits.
    The first Ctrl+C lets the work wind down; the second waits for nothing.
    """
    try:
        if _loop_runs():
            with BackgroundLoop() as loop:
                return loop.result(work)
        with asyncio.Runner() as runner:
            return runner.run(work)
    finally:
        work.close()  # Ctrl+C may arrive before it started


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class BackgroundLoop:
    """Event loop in its own thread, on whose results synchronous threads can wait; a context manager."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._thread = Thread(target=self._run, name="kbe-background-loop", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        with self._runner:
            self._loop.run_forever()

    def result(self, work: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Run the coroutine in the loop and return its result; Ctrl+C cancels it, and waits until it wound down."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            asyncio.run_coroutine_threadsafe(_wind_down(), self._loop).result()
            raise


async def _wind_down() -> None:
    if others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others)


T = TypeVar("T")
Begun = TypeVar("Begun")


async def gather_all(awaitables: Iterable[Awaitable[T]]) -> list[T]:
    """Gather the results of all awaitables in order; they start one by one, and the loop runs in between.

    If one fails, the others are cancelled and its error is raised; the model still stores the calls in flight when it
    closes. If a reply is outstanding (ReplyAwaited), the others continue before that is raised, so that one wave holds
    every call that can be made.
    """
    waiting = list(awaitables)
    tasks: list[asyncio.Task[T | ReplyAwaited]] = []
    try:
        async with asyncio.TaskGroup() as group:
            for awaitable in waiting:
                tasks.append(group.create_task(_hold_awaited(awaitable)))
                await asyncio.sleep(0)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        for awaitable in waiting:
            if isinstance(awaitable, Coroutine):
                awaitable.close()  # cancelled before it started
    results = [task.result() for task in tasks]
    for result in results:
        if isinstance(result, ReplyAwaited):
            raise result
    return [result for result in results if not isinstance(result, ReplyAwaited)]


async def _hold_awaited(awaitable: Awaitable[T]) -> T | ReplyAwaited:
    try:
        return await awaitable
    except ReplyAwaited as awaited:
        return awaited


def batches(items: Sequence[T], size: int) -> Iterator[tuple[int, Sequence[T]]]:
    """Yield the items in batches of ``size``, each with the running total of items."""
    for start in range(0, len(items), size):
        batch = items[start : start + size]
        yield start + len(batch), batch


async def ask_in_batches(
    batches: Iterable[tuple[int, T]],
    ask: Callable[[T], Awaitable[Begun]],
    finish: Callable[[Begun], Awaitable[None]],
    *,
    total: int,
    stage: str,
    progress: Progress,
    ahead: int = 1,
) -> None:
    """Ask about batches, each with the running total of items; while one is finished, ask about the next ``ahead``.

    Outstanding replies are raised as ReplyAwaited only after all batches have asked.
    """
    awaited: list[ReplyAwaited] = []
    coming: deque[tuple[int, asyncio.Future[Begun]]] = deque()

    async def finish_first() -> None:
        done, replies = coming[0]
        try:
            await finish(await replies)
        except ReplyAwaited as error:
            awaited.append(error)
        coming.popleft()
        progress(stage, done, total)

    progress(stage, 0, total)
    try:
        for done, batch in batches:
            coming.append((done, asyncio.ensure_future(ask(batch))))
            if len(coming) > ahead:
                await finish_first()
        while coming:
            await finish_first()
    finally:
        for _, replies in coming:
            replies.cancel()
        await asyncio.gather(*(replies for _, replies in coming), return_exceptions=True)
    if awaited:
        raise awaited[0]
