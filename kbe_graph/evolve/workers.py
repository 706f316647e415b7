"""Work on several cores: each worker is a process of its own, spawned, which works off a batch at a time."""

import asyncio
import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, ParamSpec, TypeVar

from kbe_graph.errors import ResourceError

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
            number, mp_context=get_context("spawn"), initializer=_begin, initargs=(gc.get_threshold(), prepare)
        )
        self._started = False

    def start(self) -> None:
        """Start them now, so that they get ready while this process does something else."""
        if not self._started:
            self._started = True
            for _ in range(self.number):
                self._pool.submit(os.getpid)

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
        """End them; what nobody has begun is dropped."""
        self._pool.shutdown(cancel_futures=True)

    def _died(self) -> ResourceError:
        return ResourceError(f"one of {self.number} workers died, perhaps for want of memory; set fewer --workers")


@contextmanager
def open_workers(number: int, prepare: Callable[[], object] | None = None) -> Iterator[Workers]:
    """Give workers that end with the block."""
    workers = Workers(number, prepare)
    try:
        yield workers
    finally:
        workers.close()


def _begin(threshold: tuple[int, int, int], prepare: Callable[[], object] | None) -> None:
    gc.set_threshold(*threshold)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is left to the process that started this one
    if prepare:
        prepare()
