"""Extraction of many samples into the graph, with their raw questions."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from kbe_graph.errors import ReplyAwaited
from kbe_graph.evolve.raw import raw_question
from kbe_graph.evolve.samples import batches
from kbe_graph.extract import Annotations, extract_all
from kbe_graph.steps.gathering import gathered
from kbe_graph.store import Store
from kbe_graph.types import Drop, Sample, SampleGraph

BATCH = 200
IN_FLIGHT = 1000
Progress = Callable[[str, int, int], None]


def extract_samples(
    store: Store, samples: Sequence[Sample], annotations: Annotations, *, progress: Progress
) -> Counter[str]:
    """Extract the samples and save what comes of them; return the counts: kept, and each reason of those dropped."""
    counts: Counter[str] = Counter()
    for done, some in batches(samples, BATCH):
        counts += _saved(store, some, list(extract_all(some, annotations)))
        progress("extract", done, len(samples))
    return counts


async def extract_by_asking(
    store: Store,
    samples: Sequence[Sample],
    extract: Callable[[Sample], Awaitable[SampleGraph | Drop]],
    *,
    progress: Progress = lambda *_: None,
    batch: int = IN_FLIGHT,
) -> Counter[str]:
    """Do what ``extract_samples`` does with what is asked for, ``batch`` samples at once.

    Replies that are still to come (ReplyAwaited) are waited for only once all batches have asked.
    """
    counts: Counter[str] = Counter()
    awaited: ReplyAwaited | None = None
    for done, some in batches(samples, batch):
        try:
            outcomes = await gathered(extract(sample) for sample in some)
        except ReplyAwaited as error:
            awaited = awaited or error
            continue
        counts += _saved(store, some, outcomes)
        progress("extract", done, len(samples))
    if awaited:
        raise awaited
    return counts


def _saved(store: Store, samples: Sequence[Sample], outcomes: Sequence[SampleGraph | Drop]) -> Counter[str]:
    """Save what came of the samples, in their order, and count it."""
    both = zip(samples, outcomes, strict=True)
    raw = [raw_question(sample, one) for sample, one in both if isinstance(one, SampleGraph)]
    store.save_graphs(outcomes, raw)
    return Counter(one.reason if isinstance(one, Drop) else "kept" for one in outcomes)
