"""Extraction by a model: triplets and key in two calls (mode ``paper``) or one (``merged``, ``chain``)."""

from dataclasses import dataclass, replace
from functools import partial

from kbe_graph.errors import NoCandidate
from kbe_graph.filters.noun import is_noun
from kbe_graph.steps.asking import Asker, Told
from kbe_graph.steps.graph import (
    SOURCE,
    parse_extract,
    parse_graph,
    parse_key,
    render_extract,
    render_graph,
    render_key,
)
from kbe_graph.types import Drop, Entity, Sample, SampleGraph, Triplet


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """Makes the graph of a sample by asking a model; ``two_calls`` as the paper does, else triplets and key in one."""

    asker: Asker
    two_calls: bool = False

    async def extract(self, sample: Sample) -> SampleGraph | Drop:
        """Return the graph, or why there is none."""
        try:
            graph, told = await (self._in_two(sample) if self.two_calls else self._in_one(sample))
        except NoCandidate as none:
            return Drop(sample.id, none.reason, none.detail)
        return _marked(sample, graph, told)

    async def _in_one(self, sample: Sample) -> tuple[SampleGraph, Told]:
        ask = render_graph(sample, language=self.asker.language)
        return await self.asker.ask(ask, lambda answered: parse_graph(answered, sample), sample)

    async def _in_two(self, sample: Sample) -> tuple[SampleGraph, Told]:
        ask = render_extract(sample, language=self.asker.language)
        extract, _ = await self.asker.ask(ask, lambda answered: parse_extract(answered, sample), sample)
        ask = render_key(sample, extract)
        return await self.asker.ask(ask, lambda answered: parse_key(answered, sample, extract), sample)


def _marked(sample: Sample, graph: SampleGraph, told: Told) -> SampleGraph:
    """Say which call each triplet came from, and whether the answer is a noun."""
    answer = replace(graph.key[-1].object, noun=is_noun(sample.question, sample.answer).keep)
    mark = partial(_mark, answer, f"{SOURCE} {told.model}", told.call)
    return SampleGraph(graph.sample, *(tuple(map(mark, some)) for some in (graph.visual, graph.textual, graph.key)))


def _mark(answer: Entity, source: str, call: str, triplet: Triplet) -> Triplet:
    subject, thing = (
        replace(one, noun=answer.noun) if one.key == answer.key else one for one in (triplet.subject, triplet.object)
    )
    return replace(triplet, subject=subject, object=thing, source=source, source_ref=call)
