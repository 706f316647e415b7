"""Wikidata and the packaged facts as a knowledge source: the facts of the current answer that have one right object."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kbe_graph.facts.pack import Pack
from kbe_graph.types import Fact, Question, Sample


@dataclass(frozen=True, slots=True)
class WikidataSource:
    """A KnowledgeSource over facts that were fetched ahead (``closure``), so that a run asks nothing while it draws."""

    pack: Pack

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:  # noqa: ARG002
        """Return the facts of ``question.concept`` whose relation has exactly one object."""
        facts = self.pack.facts_about(question.concept)
        count = Counter(fact.relation for fact in facts)
        return tuple(fact for fact in facts if count[fact.relation] == 1)
