"""Work on several cores: each worker is a process of its own, which works off a batch at a time.

Workers are forked from a process that has imported what they need and has done nothing else, so that it is imported
once; where the system has no such process, each is spawned.
"""

import asyncio
import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from kbe_graph.errors import ResourceError

FORKED = "forkserver"
IMPORTED = "kbe_graph.evolve.forked"
WORTH = 500  # samples that are worth the seconds in which a worker starts
AHEAD = 2  # batches that wait for each worker
T = TypeVar("T")
P = ParamSpec("P")


def worth_starting(workers: int | None, samples: int) -> int:
    """Return how many workers to start for so many samples: as many as asked for, or as there are cores."""
    return max(1, min(workers or os.cpu_count() or 1, samples // WORTH))


class Workers:
    """So many processes; ``prepare`` is called in each as it starts. ``open_workers`` gives them."""

    def __init__(self, number: int, prepare: Callable[[], object] | None = None) -> None:
        self.number = number
        self._pool = ProcessPoolExecutor(
            number,
            mp_context=_context(),
            initializer=_begin,
            initargs=(gc.get_threshold(), dict(os.environ), prepare),
        )

    async def result(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Return what a function gives in one of them; raises ResourceError where one dies."""
        try:
            return await asyncio.wrap_future(self._pool.submit(work, *given, **named))
        except BrokenProcessPool:
            raise self._died() from None

    def results(self, work: Callable[..., T], calls: Iterable[tuple[Any, ...]]) -> Iterator[T]:
        """Give what a function gives for the arguments of each call, in their order; raises ResourceError."""
        coming: deque[Future[T]] = deque()
        try:
            for given in calls:
                coming.append(self._pool.submit(work, *given))
                if len(coming) > AHEAD * self.number:
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()
        except BrokenProcessPool:
            raise self._died() from None

    def close(self) -> None:
        """End them; what they are at is dropped, as nobody waits for it any more."""
        for worker in list(self._pool._processes.values()):  # noqa: SLF001  # Python 3.14 has a name for it: terminate_workers
            worker.terminate()
        self._pool.shutdown(cancel_futures=True)

    def _died(self) -> ResourceError:
        return ResourceError(f"one of {self.number} workers died, perhaps for want of memory; set fewer `workers=...`")


@contextmanager
def open_workers(number: int, prepare: Callable[[], object] | None = None) -> Iterator[Workers]:
    """Give workers that end with the block."""
    workers = Workers(number, prepare)
    try:
        yield workers
    finally:
        workers.close()


def get_ready() -> None:
    """Start the process that workers are forked from, so that it imports while this one does something else."""
    if _context().get_start_method() == FORKED:
        from multiprocessing import forkserver

        forkserver.ensure_running()


def _context() -> BaseContext:
    """Return how a worker is started."""
    if FORKED not in get_all_start_methods():
        return get_context("spawn")
    context = get_context(FORKED)
    context.set_forkserver_preload([IMPORTED])
    return context


def _begin(threshold: tuple[int, int, int], environ: dict[str, str], prepare: Callable[[], object] | None) -> None:
    gc.set_threshold(*threshold)
    gc.enable()
    os.environ.clear()  # it may have changed since the process was started that this one is forked from
    os.environ.update(environ)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is left to the process that started this one
    Thread(target=_end_with_parent, name="kbe-parent", daemon=True).start()
    if prepare:
        prepare()


def _end_with_parent() -> None:
    """End this process where the one that started it was killed."""
    if parent := parent_process():
        parent.join()
        os._exit(1)
