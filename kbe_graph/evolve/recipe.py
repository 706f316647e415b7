"""The parts of an exploration: the source of facts, their checks, who words questions, and who gives an opinion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from kbe_graph.checks import Checks
from kbe_graph.evolve.plan import Plan
from kbe_graph.facts.pack import Pack
from kbe_graph.steps.verifier import Inspectable
from kbe_graph.store import Store
from kbe_graph.types import (
    Candidate,
    Decision,
    Fact,
    Inspection,
    KnowledgeSource,
    Question,
    Sample,
    SampleGraph,
    Triplet,
)
from kbe_graph.wording.phrases import Wording
from kbe_graph.wording.reference import Reference

if TYPE_CHECKING:
    from kbe_graph.evolve.blind_test import BlindTest  # it reads explorations, which have a recipe

_FAR = 2  # hops that are looked at: of more, few chains are told apart, and it takes long

Form = Callable[[Candidate], Reference]
"""A way to speak of the first answer of a candidate's chain; raises NoCandidate where it has nothing to propose."""

ConceptOf = Callable[[Sample, SampleGraph, Question], str]
"""Gives the concept of a question's answer, or the empty string."""

Refuse = Callable[[Question], Decision]
"""Tells what a second model said of a question that would be kept: a refusal, or KEEP."""


class Expresser(Protocol):
    """Proposes the words of a candidate's question, and judges none."""

    def forms(self, candidate: Candidate) -> Sequence[Form]:
        """Return the ways to speak of the first answer, the best first."""

    async def wordings(self, candidate: Candidate, reference: Reference) -> Sequence[Wording]:
        """Return the wordings by the phrases of a reference, best first; raises NoCandidate where there can be none."""

    def is_free(self, candidate: Candidate) -> bool:
        """Return True if the wording of a candidate costs no call: such candidates are worded first."""

    def aliases(self, fact: Fact) -> tuple[str, ...]:
        """Return the other right names of a fact's object, as its question tells them."""


class Reselector(Protocol):
    """Words a path of a sample's own graph, at the cost of a model's call."""

    def decide(self, sample: Sample, graph: SampleGraph, path: Sequence[Triplet]) -> Decision:
        """Decide whether the path is worth a call."""

    async def wording(self, sample: Sample, path: Sequence[Triplet]) -> Wording | Decision:
        """Return the question for the end of the path, or why there is none."""


class Opinion(Protocol):
    """Says of candidates whether to keep them, at the cost of a model's call."""

    async def __call__(self, candidates: Sequence[Candidate]) -> Sequence[Decision]:
        """Return a decision on each candidate, in their order."""


class Inspector(Protocol):
    """Gives the seven verdicts on questions, at the cost of a model's call for some at once."""

    async def __call__(self, questions: Sequence[Inspectable]) -> Sequence[Inspection | Decision]:
        """Return the verdicts on each question, in their order; a refusal where a reply cannot be used."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parts of a run's exploration.

    ``onward`` tells how many hops, of so many, could follow a candidate's own: the more, the earlier it is drawn.
    ``family`` gives the family of a relation: one of each is drawn before a second of any; ``concept_of`` the concept
    of a question's answer. ``opinion`` is asked about the candidates of one question that passed the checks of facts;
    ``second_opinion`` about all those of many questions that are left. ``reselector`` words re-selected questions,
    where it can; rules do else. ``blind_test`` looks at each question that could be kept without its picture, and
    ``inspector`` is shown every one that would be kept. ``best_first`` says that the source names the best facts first,
    so that none is drawn by lot. ``parses`` says that checks
    or rules read the parse of raw questions: it is made of many at once, and not at all where a model proposes the
    facts and words the questions.
    """

    knowledge: KnowledgeSource
    checks: Checks
    expresser: Expresser
    onward: Callable[[Candidate, int], int]
    opinion: Opinion | None = None
    second_opinion: Opinion | None = None
    reselector: Reselector | None = None
    blind_test: "BlindTest | None" = None
    inspector: Inspector | None = None
    best_first: bool = False
    parses: bool = True
    family: Callable[[str], str] = lambda relation: relation
    concept_of: ConceptOf = lambda *_: ""


@dataclass(frozen=True, slots=True)
class Outlook:
    """Looks ahead from candidates over a pack, with the checks of a run that read facts.

    The words of the hops to come are not known yet, so the question before stands for them.
    """

    checks: Checks
    pack: Pack

    def __call__(self, candidate: Candidate, hops: int) -> int:
        """Return the number of hops that could follow the candidate's own, at most ``hops``."""
        hops = min(hops, _FAR)
        if hops <= 0:
            return 0
        fact, parent = candidate.fact, candidate.question
        key = (*parent.key, fact.triplet(parent.end))
        question = replace(parent, hop=parent.hop + 1, answer=fact.object, concept=fact.object_id, key=key)
        facts = (replace(candidate, question=question, fact=fact) for fact in self.pack.facts_about(fact.object_id))
        return max((1 + self(each, hops - 1) for each in facts if self._may_follow(each)), default=0)

    def _may_follow(self, candidate: Candidate) -> bool:
        return self.checks.decide("fact", candidate).keep


@dataclass(frozen=True, slots=True)
class Evolution:
    """The parts that each process of a run has: the graph, the plan, and the recipe."""

    store: Store
    plan: Plan
    recipe: Recipe

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.plan.run.name
