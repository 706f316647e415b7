"""Extraction of many samples into the graph, with their raw questions, from annotations or by a model."""

import asyncio
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from kbe_graph.datasets.annotations import Annotations
from kbe_graph.english.parse import parser_name, spacy_model_name
from kbe_graph.errors import KbeWarning
from kbe_graph.extract.sample_graph import extract_all, raw_question
from kbe_graph.extras import __version__
from kbe_graph.models import loop
from kbe_graph.models.loop import ask_in_batches, batches, gather_all
from kbe_graph.store import Store
from kbe_graph.types import Drop, Extraction, Progress, Sample, SampleGraph
from kbe_graph.workers import Workers

BATCH = 100
AHEAD = 9  # batches that a model is asked about while one is saved
NO_MODEL = (
    "captions are read without spaCy's English model: fewer things and no relations are found, the source of "
    "their triplets is 'caption words' instead of 'caption', and runs ask different questions; run: pip "
    "install 'kbe-graph[english]', then extract again"
)
Outcome = SampleGraph | Drop


def extract_samples(
    store: Store,
    samples: Sequence[Sample],
    annotations: Annotations,
    *,
    workers: int = 1,
    batch: int = BATCH,
    progress: Progress,
) -> Counter[str]:
    """Extract and save the samples; return the counts of kept samples and of each reason for dropping.

    Samples already extracted from the same annotations are skipped. ``workers`` is the number of processes. Warns
    (KbeWarning) if captions are parsed without spaCy's model. Raises ResourceError if a worker dies.
    """
    if annotations.captioned and not spacy_model_name():
        warnings.warn(NO_MODEL, KbeWarning, stacklevel=2)
    extraction = extraction_from(annotations)
    before = store.sample_status([sample.id for sample in samples])
    missing = [
        each for each in samples if before[each.id].status == "loaded" or before[each.id].extraction != extraction
    ]
    turn = asyncio.Lock()

    async def here(batch: Sequence[Sample]) -> list[Outcome]:
        async with turn:  # in a thread, while the previous batch is saved
            return await asyncio.to_thread(_extract, batch, annotations)

    extract = partial(_extract_batches, store, missing, lambda *_: extraction, progress=progress, size=batch)
    if workers == 1:
        loop.run(extract(here))
    else:
        with closing(Workers(workers)) as pool:
            loop.run(extract(lambda batch: pool.result(_extract, batch, annotations.part(batch)), ahead=pool.ahead))
    return extraction_counts(store, samples)


async def extract_by_asking(
    store: Store,
    samples: Sequence[Sample],
    extract: Callable[[Sample], Awaitable[Outcome | None]],
    *,
    prompt: Callable[[Sample], str] = lambda _: "",
    progress: Progress = lambda *_: None,
) -> Counter[str]:
    """Extract like ``extract_samples``, by asking a model; ``prompt`` identifies the prompt of a sample's graph.

    A sample without an outcome (None) stays as it is. Outstanding replies (ReplyAwaited) are waited for only after all
    batches have been asked.
    """
    plain = Extraction("model", parser_name(), __version__)

    async def ask(batch: Sequence[Sample]) -> list[Outcome | None]:
        return await gather_all(map(extract, batch))

    def record(sample: Sample, outcome: Outcome) -> Extraction:
        by = outcome.key[0].source if isinstance(outcome, SampleGraph) else plain.by
        return replace(plain, by=by, prompt=prompt(sample))

    await _extract_batches(store, samples, record, ask, progress=progress, ahead=AHEAD)
    return extraction_counts(store, samples)


async def _extract_batches(
    store: Store,
    samples: Sequence[Sample],
    record: Callable[[Sample, Outcome], Extraction],
    extract: Callable[[Sequence[Sample]], Awaitable[Sequence[Outcome | None]]],
    *,
    progress: Progress,
    size: int = BATCH,
    ahead: int = 1,
) -> None:
    async def begin(batch: Sequence[Sample]) -> list[tuple[Sample, Outcome]]:
        return [(sample, outcome) for sample, outcome in zip(batch, await extract(batch), strict=True) if outcome]

    async def finish(begun: list[tuple[Sample, Outcome]]) -> None:
        graphs = [(sample, outcome) for sample, outcome in begun if isinstance(outcome, SampleGraph)]
        raw = [raw_question(sample.with_answer(graph.answer, graph.question), graph.key) for sample, graph in graphs]
        extractions = {sample.id: record(sample, outcome) for sample, outcome in begun}
        await asyncio.to_thread(store.save_graphs, [outcome for _, outcome in begun], raw, extractions)

    parts, total = batches(samples, size), len(samples)
    await ask_in_batches(parts, begin, finish, total=total, stage="extract", progress=progress, ahead=ahead)


def _extract(samples: Sequence[Sample], annotations: Annotations) -> list[Outcome]:
    return list(extract_all(samples, annotations))


def extraction_counts(store: Store, samples: Sequence[Sample]) -> Counter[str]:
    """Count the samples' outcomes, whoever extracted them: kept, and each reason for dropping."""
    statuses = store.sample_status([sample.id for sample in samples]).values()
    return Counter(status.reason if status.status == "dropped" else "kept" for status in statuses)


def extraction_from(annotations: Annotations) -> Extraction:
    """Build the record of an extraction from these annotations: parser, version, files."""
    return Extraction("annotations", parser_name(), __version__, annotations.files)
