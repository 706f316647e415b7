"""Extraction of many samples into the graph, with their raw questions."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence

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
    by_id = {sample.id: sample for sample in samples}
    batch: list[SampleGraph | Drop] = []
    for done, outcome in enumerate(extract_all(samples, annotations), 1):
        counts[outcome.reason if isinstance(outcome, Drop) else "kept"] += 1
        batch.append(outcome)
        if len(batch) == BATCH or done == len(samples):
            _save(store, by_id, batch)
            batch = []
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
        counts.update(outcome.reason if isinstance(outcome, Drop) else "kept" for outcome in outcomes)
        _save(store, {sample.id: sample for sample in some}, outcomes)
        progress("extract", done, len(samples))
    if awaited:
        raise awaited
    return counts


def _save(store: Store, samples: Mapping[str, Sample], outcomes: Sequence[SampleGraph | Drop]) -> None:
    raw = [raw_question(samples[one.sample], one) for one in outcomes if isinstance(one, SampleGraph)]
    store.save_graphs(outcomes, raw)
