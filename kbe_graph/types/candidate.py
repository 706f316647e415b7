"""Facts, candidates for the next hop, and the decisions of checks on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from kbe_graph.types.graph import UNSOURCED, Entity, Sample, SampleGraph, Triplet
from kbe_graph.types.question import Question

Stage = Literal["fact", "question", "run"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of knowledge: subject, relation, object, and the source that states it.

    Ids are concept ids (``wn30:01838598-n``, ``ncbi:9220``, ``iso3166:ITA``, ``element:Cu``, ``wd:Q144``). ``relation``
    is the name of a relation in the table of the source. ``source`` is ``unsourced`` if no source was opened.
    ``review`` is auto, reviewed or rejected. ``aliases`` are other right names of the object.

    >>> fact = kbe.Fact("wn30:02439033-n", "giraffe", "native continent", "x:Africa", "Africa", source="my table")
    >>> fact.triplet(kbe.Entity("GIRAFFE")).object.name
    'AFRICA'
    """

    subject_id: str
    subject: str
    relation: str
    object_id: str
    object: str
    source: str
    source_version: str = ""
    source_date: str = ""
    source_ref: str = ""
    evidence: str = ""
    licence: str = ""
    review: str = "auto"
    aliases: tuple[str, ...] = field(default=(), compare=False)

    @property
    def unsourced(self) -> bool:
        """Whether no opened source confirms the fact."""
        return self.source == UNSOURCED

    def triplet(self, subject: Entity) -> Triplet:
        """Return the textual triplet that attaches this fact to an entity of a sample."""
        return Triplet(
            subject,
            self.relation,
            Entity(self.object.upper(), concept=self.object_id),
            "textual",
            self.source,
            self.source_ref,
            self.evidence,
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of a check on a candidate. ``reason`` is the name that is counted, ``detail`` gives the particulars.

    >>> kbe.Decision(keep=False, reason="generic", detail="animal").keep
    False
    """

    keep: bool
    reason: str = ""
    detail: str = ""


KEEP = Decision(keep=True)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact considered for the next hop of a question.

    ``called`` lists the phrases for the first answer of the chain, the plainest first, and ``pattern`` names the rule
    that made them. ``text`` is the worded question. All three are empty until a wording is proposed.

    >>> question = work.questions(run="raw", sample="demo/demo/107438-vehicle")[0]
    >>> sample, key = work.samples()[0], question.key
    >>> graph = kbe.SampleGraph(question.sample, key[:1], key[1:], key)
    >>> fact = kbe.Fact("x:1", "bicycle", "maker", "x:2", "a firm", source="my table")
    >>> kbe.Candidate(sample, graph, question, fact).text
    ''
    """

    sample: Sample
    graph: SampleGraph
    question: Question
    fact: Fact
    text: str = ""
    called: tuple[str, ...] = ()
    pattern: str = ""

    @property
    def from_raw(self) -> bool:
        """Whether the chain starts from the benchmark's question."""
        return self.question.starts_from(self.graph.key)

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations of the chain, one per hop; the relation of the candidate is the last."""
        return (*(triplet.relation for triplet in self.question.explored), self.fact.relation)


class KnowledgeSource(Protocol):
    """A source of facts."""

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:
        """Find the facts about the current answer, without rejected ones, in a stable order."""
