"""Extraction on several cores: each worker is a process of its own, which extracts a batch at a time."""

import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from kbe_graph.errors import ResourceError
from kbe_graph.extract import Annotations, extract_all
from kbe_graph.types import Drop, Sample, SampleGraph

Outcomes = list[SampleGraph | Drop]
AHEAD = 2  # batches that wait for each worker
WORTH = 500  # samples that are worth the seconds in which a worker starts


def worth_starting(workers: int | None, samples: int) -> int:
    """Return how many workers to start for so many samples: as many as asked for, or as there are cores."""
    return max(1, min(workers or os.cpu_count() or 1, samples // WORTH))


def extract_batches(
    batches: Iterable[Sequence[Sample]], annotations: Annotations, workers: int = 1
) -> Iterator[tuple[Sequence[Sample], Outcomes]]:
    """Give each batch with what comes of its samples, in order; the same whatever the number of workers.

    Where there is one, it is this process. Raises ResourceError where a worker dies.
    """
    if workers == 1:
        yield from ((batch, extract_list(batch, annotations)) for batch in batches)
        return
    coming: deque[tuple[Sequence[Sample], Future[Outcomes]]] = deque()
    with open_pool(workers) as pool:
        for batch in batches:
            coming.append((batch, pool.submit(extract_list, batch, annotations.part(batch))))
            if len(coming) > AHEAD * workers:
                yield _first(coming)
        while coming:
            yield _first(coming)


def _first(coming: deque[tuple[Sequence[Sample], Future[Outcomes]]]) -> tuple[Sequence[Sample], Outcomes]:
    batch, outcomes = coming.popleft()
    return batch, outcomes.result()


@contextmanager
def open_pool(workers: int) -> Iterator[Executor]:
    """Give so many processes that extract; one is a thread of this process. Raises ResourceError where one dies."""
    if workers == 1:
        with ThreadPoolExecutor(1, thread_name_prefix="kbe-extract") as pool:
            yield pool
        return
    processes = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_leave_interrupts)
    try:
        yield processes
    except BrokenProcessPool:
        raise ResourceError(f"one of {workers} workers died, perhaps for want of memory; set fewer --workers") from None
    finally:
        processes.shutdown(cancel_futures=True)


def extract_list(samples: Sequence[Sample], annotations: Annotations) -> Outcomes:
    """Return what comes of samples."""
    return list(extract_all(samples, annotations))


def _leave_interrupts() -> None:
    """Leave Ctrl+C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
