"""Components of an exploration: fact source, checks, question wording and opinions."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from kbe_graph.checks import Checks
from kbe_graph.evolve.blind_test import BlindTest
from kbe_graph.evolve.plan import Plan
from kbe_graph.facts.pack import Pack
from kbe_graph.steps.expresser import ModelReselector
from kbe_graph.steps.verifier import Inspectable
from kbe_graph.store import Store
from kbe_graph.types import (
    Candidate,
    Decision,
    Fact,
    Inspection,
    KnowledgeSource,
    Progress,
    Question,
    Sample,
    SampleGraph,
)
from kbe_graph.wording.phrases import Wording
from kbe_graph.wording.reference import Reference
from kbe_graph.workers import Workers

_FAR = 2  # hops to look ahead; more would distinguish few chains and take long

Form = Callable[[Candidate], Reference]
"""Way of referring to the first answer of a candidate's chain; raises NoCandidate if it has no proposal."""

ConceptOf = Callable[[Sample, SampleGraph, Question], str]
"""Function that returns the concept of a question's answer, or the empty string."""

Refuse = Callable[[Question], Decision]
"""Function that returns a second model's decision on a question: a rejection, or KEEP."""


class Expresser(Protocol):
    """Interface for proposing wordings of a candidate's question, without judging them."""

    def forms(self, candidate: Candidate) -> Sequence[Form]:
        """List the ways of referring to the first answer, best first."""

    async def wordings(self, candidate: Candidate, reference: Reference) -> Sequence[Wording]:
        """Propose wordings that use the phrases of a reference, best first; raises NoCandidate if there are none."""

    def is_free(self, candidate: Candidate) -> bool:
        """Return True if wording the candidate costs no call; such candidates are worded first."""

    def aliases(self, fact: Fact) -> tuple[str, ...]:
        """List the other right names of a fact's object for its question."""


Opinion = Callable[[Sequence[Candidate]], Awaitable[Sequence[Decision]]]
"""Function that decides on candidates with a model call, in order."""

Inspector = Callable[[Sequence[Inspectable]], Awaitable[Sequence[Inspection | Decision]]]
"""Function that gives the seven verdicts on questions with one model call; an unusable reply rejects them."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Components of a run's exploration.

    ``onward`` estimates how many hops, up to a limit, could follow a candidate: the more, the earlier it is drawn.
    ``family`` returns a relation's family, and one relation of each family is drawn before a second of any;
    ``concept_of`` returns the concept of a question's answer. ``opinion`` judges the candidates of one question that
    passed the fact checks; ``second_opinion`` judges the remaining candidates of many questions. ``reselector`` words
    re-selected questions if it can; otherwise rules do. ``blind_test`` tests each candidate question without its image,
    and ``inspector`` sees every question that would be kept. ``best_first`` says that the source lists the best facts
    first, so that none is drawn at random. ``parses`` says that checks or rules use the parse of raw questions: these
    are parsed in bulk, or not at all if a model proposes the facts and words the questions.
    """

    knowledge: KnowledgeSource
    checks: Checks
    expresser: Expresser
    onward: Callable[[Candidate, int], int]
    opinion: Opinion | None = None
    second_opinion: Opinion | None = None
    reselector: ModelReselector | None = None
    blind_test: BlindTest | None = None
    inspector: Inspector | None = None
    best_first: bool = False
    parses: bool = True
    family: Callable[[str], str] = lambda relation: relation
    concept_of: ConceptOf = lambda *_: ""


@dataclass(frozen=True, slots=True)
class Outlook:
    """Look-ahead from candidates over a pack, using the run's fact checks.

    The wording of future hops is not known yet, so the previous question stands in for it.
    """

    checks: Checks
    pack: Pack

    def __call__(self, candidate: Candidate, hops: int) -> int:
        """Count the hops that could follow the candidate, at most ``hops``."""
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
    """Components available in each process of a run: graph, plan and recipe.

    ``workers`` are the processes that explore for this one, which decides and saves; None if it works alone.
    """

    store: Store
    plan: Plan
    recipe: Recipe
    workers: Workers | None = None
    progress: Progress = lambda *_: None

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.plan.run.name
