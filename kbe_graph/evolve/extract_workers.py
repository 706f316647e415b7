"""Extraction on several cores."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

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
        yield from ((batch, _outcomes(batch, annotations)) for batch in batches)
        return
    waiting: deque[Sequence[Sample]] = deque()

    def calls() -> Iterator[tuple[Sequence[Sample], Annotations]]:
        for batch in batches:
            waiting.append(batch)
            yield batch, annotations.part(batch)

    with open_workers(workers) as opened:
        for outcomes in opened.results(_outcomes, calls()):
            yield waiting.popleft(), outcomes


def _outcomes(samples: Sequence[Sample], annotations: Annotations) -> Outcomes:
    return list(extract_all(samples, annotations))
