"""Extraction of many samples into the graph, with their raw questions, from annotations or by a model."""

import asyncio
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

from kbe_graph import __version__
from kbe_graph.english.parse import parser_name, spacy_model_name
from kbe_graph.errors import KbeWarning
from kbe_graph.execute.clients import Share, alone
from kbe_graph.execute.executor import Executor, Stage
from kbe_graph.execute.workers import WorkerProcesses
from kbe_graph.extract import Annotations, extract_all
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.models import loop
from kbe_graph.models.loop import gather_all
from kbe_graph.store import Store
from kbe_graph.types import Drop, Extraction, Progress, Sample, SampleGraph

Outcome = tuple[Sample, SampleGraph | Drop]
NO_MODEL = (
    "captions are read without spaCy's English model: fewer things and relations are found, the source of "
    "their triplets is 'caption words' instead of 'caption', and runs ask different questions; run: pip "
    "install 'kbe-graph[english]', then extract again"
)


@dataclass(frozen=True)
class ExtractFromAnnotations(Stage[Sample, list[Outcome], list[Outcome]]):
    """Stage that extracts samples from annotations, skipping those already extracted from the same ones."""

    name = "extract"
    size = 100
    store: Store
    annotations: Annotations
    extraction: Extraction
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def item_id(self, item: Sample) -> str:
        """Get the sample's ID."""
        return item.id

    def missing(self, items: Sequence[Sample]) -> Sequence[Sample]:
        """Find the samples without an extraction of this kind."""
        before = self.store.sample_status([sample.id for sample in items])
        return [
            each
            for each in items
            if before[each.id].status == "loaded" or before[each.id].extraction != self.extraction
        ]

    async def begin(self, batch: Sequence[Sample]) -> list[Outcome]:
        """Extract a batch in a thread, while the previous one is saved."""
        async with self.turn:
            return await asyncio.to_thread(_extract, batch, self.annotations)

    def call(self, batch: Sequence[Sample]) -> Callable[[], list[Outcome]]:
        """Build the equivalent call for a worker process, with only its part of the annotations."""
        return partial(_extract, batch, self.annotations.part(batch))


def _extract(samples: Sequence[Sample], annotations: Annotations) -> list[Outcome]:
    return list(zip(samples, extract_all(samples, annotations), strict=True))


@dataclass(frozen=True)
class ExtractByAsking(Stage[Sample, list[Outcome], list[Outcome]]):
    """Stage that asks a model for the graphs of samples."""

    name = "extract"
    size = 100
    ahead = 9
    extract: Callable[[Sample], Awaitable[SampleGraph | Drop]]

    def item_id(self, item: Sample) -> str:
        """Get the sample's ID."""
        return item.id

    async def begin(self, batch: Sequence[Sample]) -> list[Outcome]:
        """Ask about each sample of a batch."""
        outcomes = await gather_all(map(self.extract, batch))
        return list(zip(batch, outcomes, strict=True))


def extract_samples(
    store: Store,
    samples: Sequence[Sample],
    annotations: Annotations,
    *,
    workers: int = 1,
    share: Share = alone,
    progress: Progress,
) -> Counter[str]:
    """Extract and save the samples; return the counts of kept samples and of each reason for dropping.

    ``workers`` is the number of processes, and ``share`` lets other clients help. Warns (KbeWarning) if captions are
    parsed without spaCy's model. Raises ResourceError if a worker dies.
    """
    _warn_without_model(annotations)
    extraction = extraction_from(annotations)
    stage = ExtractFromAnnotations(store, annotations, extraction)
    save = partial(_save, store, lambda _: extraction)
    if workers == 1:
        loop.run(share(Executor(progress)).map(stage, samples, save))
    else:
        with closing(WorkerProcesses(workers, progress=progress)) as processes:
            loop.run(share(processes).map(stage, samples, save))
    return extraction_counts(store, samples)


async def extract_by_asking(
    store: Store,
    samples: Sequence[Sample],
    extract: Callable[[Sample], Awaitable[SampleGraph | Drop]],
    *,
    prompt: Callable[[Sample], str] = lambda _: "",
    executor: Executor | None = None,
) -> Counter[str]:
    """Extract like ``extract_samples``, by asking a model; ``prompt`` identifies the prompt of a sample's graph.

    Outstanding replies (ReplyAwaited) are waited for only after all batches have been asked.
    """
    plain = Extraction("model", parser_name(), __version__)

    def extraction(sample: Sample) -> Extraction:
        return replace(plain, prompt=prompt(sample))

    await (executor or Executor()).map(ExtractByAsking(extract), samples, partial(_save, store, extraction))
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
