"""Extraction of many samples into the graph, with their raw questions, from annotations or by a model."""

import asyncio
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from kbe_graph.english.parse import parser_name, spacy_model_name
from kbe_graph.errors import KbeWarning
from kbe_graph.execute.executor import Workers, batches
from kbe_graph.extract import Annotations, extract_all
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.extras import __version__
from kbe_graph.models import loop
from kbe_graph.models.loop import ask_in_batches, gather_all
from kbe_graph.store import Store
from kbe_graph.types import Drop, Extraction, Progress, Sample, SampleGraph

BATCH = 100
AHEAD = 9  # batches that a model is asked about while one is saved
Outcome = tuple[Sample, SampleGraph | Drop]
NO_MODEL = (
    "captions are read without spaCy's English model: fewer things and relations are found, the source of "
    "their triplets is 'caption words' instead of 'caption', and runs ask different questions; run: pip "
    "install 'kbe-graph[english]', then extract again"
)


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
    _warn_without_model(annotations)
    extraction = extraction_from(annotations)
    before = store.sample_status([sample.id for sample in samples])
    missing = [
        each for each in samples if before[each.id].status == "loaded" or before[each.id].extraction != extraction
    ]

    async def extract(begin: Callable[[Sequence[Sample]], Awaitable[list[Outcome]]], ahead: int) -> None:
        save = partial(_save, store, lambda _: extraction)
        parts, total = batches(missing, batch), len(missing)
        await ask_in_batches(parts, begin, save, total=total, stage="extract", progress=progress, ahead=ahead)

    if workers == 1:
        loop.run(extract(_one_at_a_time(annotations), 1))
    else:
        with closing(Workers(workers)) as pool:
            loop.run(extract(lambda batch: pool.result(_extract, batch, annotations.part(batch)), pool.ahead))
    return extraction_counts(store, samples)


def _one_at_a_time(annotations: Annotations) -> Callable[[Sequence[Sample]], Awaitable[list[Outcome]]]:
    turn = asyncio.Lock()

    async def extract(batch: Sequence[Sample]) -> list[Outcome]:
        async with turn:  # in a thread, while the previous batch is saved
            return await asyncio.to_thread(_extract, batch, annotations)

    return extract


def _extract(samples: Sequence[Sample], annotations: Annotations) -> list[Outcome]:
    return list(zip(samples, extract_all(samples, annotations), strict=True))


async def extract_by_asking(
    store: Store,
    samples: Sequence[Sample],
    extract: Callable[[Sample], Awaitable[SampleGraph | Drop]],
    *,
    prompt: Callable[[Sample], str] = lambda _: "",
    progress: Progress = lambda *_: None,
) -> Counter[str]:
    """Extract like ``extract_samples``, by asking a model; ``prompt`` identifies the prompt of a sample's graph.

    Outstanding replies (ReplyAwaited) are waited for only after all batches have been asked.
    """
    plain = Extraction("model", parser_name(), __version__)

    async def ask(batch: Sequence[Sample]) -> list[Outcome]:
        return list(zip(batch, await gather_all(map(extract, batch)), strict=True))

    save = partial(_save, store, lambda sample: replace(plain, prompt=prompt(sample)))
    parts, total = batches(samples, BATCH), len(samples)
    await ask_in_batches(parts, ask, save, total=total, stage="extract", progress=progress, ahead=AHEAD)
    return extraction_counts(store, samples)


def extraction_counts(store: Store, samples: Sequence[Sample]) -> Counter[str]:
    """Count the samples' outcomes, whoever extracted them: kept, and each reason for dropping."""
    statuses = store.sample_status([sample.id for sample in samples]).values()
    return Counter(status.reason if status.status == "dropped" else "kept" for status in statuses)


def _warn_without_model(annotations: Annotations) -> None:
    if annotations.captioned and not spacy_model_name():
        warnings.warn(NO_MODEL, KbeWarning, stacklevel=3)


def extraction_from(annotations: Annotations) -> Extraction:
    """Build the record of an extraction from these annotations: parser, version, files."""
    return Extraction("annotations", parser_name(), __version__, annotations.files)


async def _save(store: Store, extraction: Callable[[Sample], Extraction], outcomes: Sequence[Outcome]) -> None:
    graphs = [(sample, outcome) for sample, outcome in outcomes if isinstance(outcome, SampleGraph)]
    raw = [raw_question(sample.with_answer(graph.answer), graph.key) for sample, graph in graphs]
    extractions = {sample.id: _of(outcome, extraction(sample)) for sample, outcome in outcomes}
    await asyncio.to_thread(store.save_graphs, [outcome for _, outcome in outcomes], raw, extractions)


def _of(outcome: SampleGraph | Drop, extraction: Extraction) -> Extraction:
    if extraction.by == "model" and isinstance(outcome, SampleGraph):
        return replace(extraction, by=outcome.key[0].source)
    return extraction
