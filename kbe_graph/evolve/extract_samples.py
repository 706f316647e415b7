"""Extraction of many samples into the graph, with their raw questions."""

import asyncio
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from operator import attrgetter

from kbe_graph import __version__
from kbe_graph.english.parse import parser_name, spacy_model_name
from kbe_graph.errors import KbeWarning
from kbe_graph.evolve.batches import ask_in_batches, batches
from kbe_graph.evolve.extract_workers import extract_batches, open_extractors
from kbe_graph.evolve.parts import Parts
from kbe_graph.extract import Annotations
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.steps.gathering import gather_all
from kbe_graph.store import Store
from kbe_graph.store.graphs import SaveGraphs
from kbe_graph.types import Drop, Extraction, Progress, Sample, SampleGraph

BATCH = 100
IN_FLIGHT = 1000
NO_MODEL = (
    "captions are read without spaCy's English model: fewer things and relations are seen, their triplets' source is "
    "'caption words' and not 'caption', and a run asks other questions; install kbe-graph[english] and extract again"
)


def extract_samples(
    store: Store, samples: Sequence[Sample], annotations: Annotations, *, workers: int = 1, progress: Progress
) -> Counter[str]:
    """Extract the samples and save what comes of them; return the counts: kept, and each reason of those dropped.

    ``workers`` processes extract at once. Warns (KbeWarning) where captions are read without spaCy's model.
    """
    extraction = extraction_from(annotations)
    _warn_without_model(annotations)
    counts: Counter[str] = Counter()

    done = 0
    progress("extract", done, len(samples))
    parts = (batch for _, batch in batches(samples, BATCH))
    with store.saving_graphs() as save:
        for batch, outcomes in extract_batches(parts, annotations, workers):
            counts.update(_saved(save, batch, outcomes, lambda _: extraction))
            progress("extract", done := done + len(batch), len(samples))
    return counts


async def extract_shared(
    store: Store, samples: Sequence[Sample], annotations: Annotations, parts: Parts, *, workers: int, progress: Progress
) -> None:
    """Do what ``extract_samples`` does together with other clients; return when all samples are extracted."""
    extraction = extraction_from(annotations)
    _warn_without_model(annotations)
    with open_extractors(workers) as extract_apart:

        async def extract(batch: Sequence[Sample]) -> bytes:
            """Extract and save those of a batch that no other client has extracted; there is nothing to hand on."""
            if new := await asyncio.to_thread(_not_extracted, store, batch, extraction):
                part = annotations.part(new) if workers > 1 else annotations
                outcomes = await extract_apart(new, part)
                await asyncio.to_thread(_saved, store.save_graphs, new, outcomes, lambda _: extraction)
            return b""

        await share_extraction(parts, samples, extract, lanes=workers + 1, progress=progress)


async def extract_shared_by_asking(
    store: Store,
    samples: Sequence[Sample],
    extract: Callable[[Sample], Awaitable[SampleGraph | Drop]],
    parts: Parts,
    *,
    prompt: Callable[[Sample], str] = lambda _: "",
    progress: Progress = lambda *_: None,
) -> None:
    """Do what ``extract_by_asking`` does together with other clients; return when all samples are extracted."""

    async def extract_part(batch: Sequence[Sample]) -> bytes:
        """Ask the model about a batch and save what it says; there is nothing to hand on."""
        await extract_by_asking(store, batch, extract, prompt=prompt)
        return b""

    await share_extraction(parts, samples, extract_part, lanes=IN_FLIGHT // BATCH, progress=progress)


async def share_extraction(
    parts: Parts,
    samples: Sequence[Sample],
    extract: Callable[[Sequence[Sample]], Awaitable[bytes]],
    *,
    lanes: int,
    progress: Progress,
) -> None:
    """Have samples extracted in parts, as one of several clients."""
    parts.join()
    await parts.share("extract", samples, extract, size=BATCH, name=attrgetter("id"), lanes=lanes, progress=progress)
    parts.leave()


def _not_extracted(store: Store, batch: Sequence[Sample], extraction: Extraction) -> list[Sample]:
    """Return the samples that have not been extracted so."""
    status = store.sample_status([sample.id for sample in batch])
    return [
        sample for sample in batch if status[sample.id].status == "loaded" or status[sample.id].extraction != extraction
    ]


def _warn_without_model(annotations: Annotations) -> None:
    if annotations.captioned and not spacy_model_name():
        warnings.warn(NO_MODEL, KbeWarning, stacklevel=3)


def extraction_from(annotations: Annotations) -> Extraction:
    """Return what a graph is extracted with that is made of these annotations now."""
    return Extraction("annotations", parser_name(), __version__, annotations.files)


async def extract_by_asking(
    store: Store,
    samples: Sequence[Sample],
    extract: Callable[[Sample], Awaitable[SampleGraph | Drop]],
    *,
    prompt: Callable[[Sample], str] = lambda _: "",
    progress: Progress = lambda *_: None,
    batch: int = IN_FLIGHT,
) -> Counter[str]:
    """Do what ``extract_samples`` does with what is asked for, ``batch`` samples at once.

    ``prompt`` tells what the graph of a sample is asked with.

    Replies that are still to come (ReplyAwaited) are waited for only once all batches have asked.
    """
    plain = Extraction("model", parser_name(), __version__)
    counts: Counter[str] = Counter()

    def extraction(sample: Sample) -> Extraction:
        """Return what a sample's graph is extracted with: the prompt depends on the sample."""
        return replace(plain, prompt=prompt(sample))

    async def ask(batched: Sequence[Sample]) -> tuple[Sequence[Sample], list[SampleGraph | Drop]]:
        """Return a batch with an outcome for each of its samples."""
        return batched, await gather_all(extract(sample) for sample in batched)

    async def save(asked: tuple[Sequence[Sample], list[SampleGraph | Drop]]) -> None:
        """Save the outcomes of a batch in a thread, and count them."""
        counts.update(await asyncio.to_thread(_saved, store.save_graphs, *asked, extraction))

    await ask_in_batches(batches(samples, batch), ask, save, total=len(samples), stage="extract", progress=progress)
    return counts


def _saved(
    save: SaveGraphs,
    samples: Sequence[Sample],
    outcomes: Sequence[SampleGraph | Drop],
    extraction: Callable[[Sample], Extraction],
) -> Counter[str]:
    """Save what came of the samples, in their order, and count it; a graph by a model tells the model's name."""
    raw = [
        raw_question(sample, outcome)
        for sample, outcome in zip(samples, outcomes, strict=True)
        if isinstance(outcome, SampleGraph)
    ]
    extractions = {
        sample.id: _of(outcome, extraction(sample)) for sample, outcome in zip(samples, outcomes, strict=True)
    }
    save(outcomes, raw, extractions)
    return Counter(outcome.reason if isinstance(outcome, Drop) else "kept" for outcome in outcomes)


def _of(outcome: SampleGraph | Drop, extraction: Extraction) -> Extraction:
    if extraction.by == "model" and isinstance(outcome, SampleGraph):
        return replace(extraction, by=outcome.key[0].source)
    return extraction
