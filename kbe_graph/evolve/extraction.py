"""Extraction of many samples into the graph, with their raw questions."""

from collections import Counter
from collections.abc import Callable, Sequence

from kbe_graph.evolve.raw import raw_question
from kbe_graph.extract import Annotations, extract_all
from kbe_graph.store import Store
from kbe_graph.types import Drop, Sample, SampleGraph

BATCH = 200


def extract_samples(
    store: Store, samples: Sequence[Sample], annotations: Annotations, *, progress: Callable[[str, int, int], None]
) -> Counter[str]:
    """Extract the samples and save what comes of them; return the counts: kept, and each reason of those dropped."""
    counts: Counter[str] = Counter()
    by_id = {sample.id: sample for sample in samples}
    batch: list[SampleGraph | Drop] = []
    for done, outcome in enumerate(extract_all(samples, annotations), 1):
        counts[outcome.reason if isinstance(outcome, Drop) else "kept"] += 1
        batch.append(outcome)
        if len(batch) == BATCH or done == len(samples):
            raw = [raw_question(by_id[one.sample], one) for one in batch if isinstance(one, SampleGraph)]
            store.save_graphs(batch, raw)
            batch = []
            progress("extract", done, len(samples))
    return counts
