"""Event loop helpers: run asynchronous code from synchronous code, and gather many calls."""

import asyncio
from collections.abc import Awaitable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Event, Thread
from typing import Any, Self, TypeVar

from kbe_graph.errors import ReplyAwaited

Outcome = TypeVar("Outcome")


def run(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Run the coroutine in a new event loop and return its result.

    If this thread already has a running loop, as in Jupyter, the new loop runs in another thread and this one waits.
    The first Ctrl+C lets the work wind down; the second waits for nothing. (anyio's portal would cancel the winding
    down, too.) uvloop is used if installed, because it sustains more calls per second.
    """
    try:
        if not _loop_runs():
            with new_runner() as runner:
                return runner.run(work)
        return _run_in_thread(work)
    finally:
        work.close()  # Ctrl+C may arrive before it started


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_in_thread(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    threaded = _ThreadedWork(work)
    with ThreadPoolExecutor(1, thread_name_prefix="kbe-loop") as pool:
        # copy the context, so that output from the thread appears under the notebook cell
        future = pool.submit(copy_context().run, threaded.run)
        try:
            outcome: Outcome = future.result()
        except KeyboardInterrupt:
            threaded.cancel()
            raise
    return outcome


class _ThreadedWork:
    """Coroutine running in another thread's loop, which this thread can cancel."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self._work = work
        self._started = Event()
        self._loop: asyncio.AbstractEventLoop
        self._task: asyncio.Task[Any]

    def run(self) -> Any:
        """Run the coroutine to completion in the calling thread."""
        with new_runner() as runner:
            return runner.run(self._watched())

    def cancel(self) -> None:
        """Cancel the coroutine, which may still wind down."""
        self._started.wait()
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)

    async def _watched(self) -> Any:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.ensure_future(self._work)
        self._started.set()
        return await self._task


class BackgroundLoop:
    """Event loop in its own thread, on whose results synchronous threads can wait; a context manager."""

    def __init__(self) -> None:
        self._runner = new_runner()
        self._loop = self._runner.get_loop()
        self._thread = Thread(target=self._loop.run_forever, name="kbe-background-loop", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._runner.close()

    def result(self, work: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Run the coroutine in the loop and return its result; Ctrl+C while this thread waits cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


def new_runner() -> asyncio.Runner:
    """Create an event loop runner, which the caller must close; uses uvloop if installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


T = TypeVar("T")


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
