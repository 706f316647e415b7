"""Facts, candidates for the next hop, and the decisions of checks on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from kbe_graph.brief import brief
from kbe_graph.types.graph import UNSOURCED, Entity, Sample, SampleGraph, Triplet
from kbe_graph.types.question import Question

Stage = Literal["fact", "question", "run"]


@brief("subject relation object source source_ref")
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


@brief("question.text fact text")
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


Compares = Literal["", "most", "least"]
DraftStatus = Literal["passed", "chosen", "refused"]
WHOLE_KEY = -1  # no edge is left out


@dataclass(frozen=True, slots=True)
class Identity:
    """What a seen thing is beyond its everyday name: its model, breed, airline, dish, place or the text on it.

    ``triplet`` is visual and holds the ``evidence`` that was seen. ``sure`` is how sure the model is, from 0 to 1, and
    ``box`` the place in the picture, as shares of its width and height (left, top, right, bottom), empty if unknown.
    ``again`` is what a second look named, without the first answer. A refused one has a ``reason``. ``names`` are other
    names of the same, and ``run`` is the run whose drafts name it, empty if it was recognised with the graph.
    """

    sample: str
    number: int
    triplet: Triplet
    sure: float
    box: tuple[float, ...] = ()
    again: str = ""
    reason: str = ""
    names: tuple[str, ...] = ()
    run: str = ""

    @property
    def id(self) -> str:
        """The id of the identity."""
        return "|".join(filter(None, (self.sample, self.run, f"{self.number:02}")))


@dataclass(frozen=True, slots=True)
class DraftEdge:
    """A triplet of a draft, and what of it the question's words fix.

    ``word`` is the name that an object must end with to fit, empty if any object fits. ``is_seen`` says that the object
    is a thing that the picture shows, ``number`` is the number in its name, if the question compares numbers. A
    ``rival`` is no part of the key: a fact by which something else would fit if an edge were missing, or what the
    words say although the answer does not need it.
    """

    triplet: Triplet
    word: str = ""
    is_seen: bool = False
    number: float | None = None
    rival: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that a model drafted, with its key subgraph, before and after the gates.

    ``number`` counts the drafts of a sample in a run, and ``shape`` is the name of a shape. ``edges`` are the key in an
    order in which each edge hangs on an earlier one or on IMAGE, then the rivals. ``compares`` is ``most`` or ``least``
    if the answer is the thing whose number is first. ``status`` is passed, chosen or refused, with the ``reason`` and
    its ``detail``. ``guess`` is what a model answered without the picture, ``solved`` with the picture and the facts,
    and ``unaided`` with the picture alone. ``rank`` is the place among the passed drafts, from 1. ``twin`` is the id of
    the twin that it is drafted as, if it is one.
    """

    sample: str
    run: str
    number: int
    shape: str
    text: str
    answer: str
    edges: tuple[DraftEdge, ...]
    end: Entity
    aliases: tuple[str, ...] = ()
    compares: Compares = ""
    status: DraftStatus = "passed"
    reason: str = ""
    detail: str = ""
    rank: int = 0
    guess: str = ""
    solved: str = ""
    unaided: str = ""
    is_unaided_right: bool | None = None
    mends: int = 0
    prompt: str = ""
    calls: tuple[str, ...] = field(default=(), compare=False)
    twin: str = ""

    @property
    def id(self) -> str:
        """The id of the draft."""
        return self.twin or f"{self.sample}@{self.run}#{self.number}"

    @property
    def key(self) -> tuple[Triplet, ...]:
        """The key subgraph, in order."""
        return tuple(edge.triplet for edge in self.edges if not edge.rival)

    @property
    def facts(self) -> tuple[Triplet, ...]:
        """The key triplets that are knowledge."""
        return tuple(triplet for triplet in self.key if triplet.graph == "textual")

    @property
    def hop(self) -> int:
        """The number of facts that the key needs, at least 1: a question that only recognises is of hop 1."""
        return max(1, len(self.facts))

    @property
    def depth(self) -> int:
        """The number of key edges, |E_K|."""
        return len(self.key)


AnswerSets = Mapping[int, frozenset[str]]
"""The ids of the entities that fit a draft: by all its edges (``WHOLE_KEY``), and by all but the edge at a place."""
