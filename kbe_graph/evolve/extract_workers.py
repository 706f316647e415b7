"""Extraction on several cores."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from kbe_graph.evolve.workers import open_workers
from kbe_graph.extract import Annotations, extract_all
from kbe_graph.types import Drop, Sample, SampleGraph

Outcomes = list[SampleGraph | Drop]


def extract_batches(
    batches: Iterable[Sequence[Sample]], annotations: Annotations, workers: int = 1
) -> Iterator[tuple[Sequence[Sample], Outcomes]]:
    """Give each batch with what comes of its samples, in order; the same whatever the number of workers.

    Where there is one, it is this process. Raises ResourceError where a worker dies.
    """
    if workers == 1:
        yield from ((batch, extract_list(batch, annotations)) for batch in batches)
        return
    waiting: deque[Sequence[Sample]] = deque()

    def calls() -> Iterator[tuple[Sequence[Sample], Annotations]]:
        """Give each batch with its own part of the annotations, and note that it is waited for."""
        for batch in batches:
            waiting.append(batch)
            yield batch, annotations.part(batch)

    with open_workers(workers) as opened:
        for outcomes in opened.results(extract_list, calls()):
            yield waiting.popleft(), outcomes


@contextmanager
def open_extractors(workers: int) -> Iterator[Callable[[Sequence[Sample], Annotations], Awaitable[Outcomes]]]:
    """Give what extracts samples from annotations in so many processes; one is a thread of this process.

    It is opened within an event loop, and raises ResourceError where a process dies.
    """
    if workers == 1:
        with ThreadPoolExecutor(1, thread_name_prefix="kbe-extract") as thread:
            loop = asyncio.get_running_loop()
            yield lambda samples, annotations: loop.run_in_executor(thread, extract_list, samples, annotations)
        return
    with open_workers(workers) as opened:
        yield lambda samples, annotations: opened.result(extract_list, samples, annotations)


def extract_list(samples: Sequence[Sample], annotations: Annotations) -> Outcomes:
    """Return what comes of samples."""
    return list(extract_all(samples, annotations))
