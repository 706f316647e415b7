"""Runs asynchronous work from synchronous code, whether or not an event loop runs already: the one place that does."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Event
from typing import Any, TypeVar

Outcome = TypeVar("Outcome")


def run(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Run the coroutine in an event loop of its own and return what it gives.

    Where a loop runs in this thread already, as in Jupyter, the new one runs in another thread and this one waits.
    Ctrl+C stops the work in either case: the first time it may still end what it began, the second time nothing is
    waited for. uvloop is used where it is installed, because it bears more calls a second.
    """
    try:
        if not _loop_runs():
            with new_runner() as runner:
                return runner.run(work)
        return _run_beside(work)
    finally:
        work.close()  # Ctrl+C may come before it began


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_beside(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    beside = _Beside(work)
    with ThreadPoolExecutor(1, thread_name_prefix="kbe-loop") as pool:
        # the context goes along, so that what is displayed from there appears under the notebook's cell
        future = pool.submit(copy_context().run, beside.run)
        try:
            outcome: Outcome = future.result()
        except KeyboardInterrupt:
            beside.cancel()
            raise
    return outcome


class _Beside:
    """Work in the loop of another thread, which this thread can cancel."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self._work = work
        self._started = Event()
        self._loop: asyncio.AbstractEventLoop
        self._task: asyncio.Task[Any]

    def run(self) -> Any:
        """Run the work to its end, in the thread that this is called in."""
        with new_runner() as runner:
            return runner.run(self._watched())

    def cancel(self) -> None:
        """Cancel the work, which may still end what it began."""
        self._started.wait()
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)

    async def _watched(self) -> Any:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.ensure_future(self._work)
        self._started.set()
        return await self._task


def new_runner() -> asyncio.Runner:
    """Return what runs work in an event loop of its own, one after the other; close it at the end."""
    try:
        import uvloop
    except ImportError:
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)
