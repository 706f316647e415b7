"""The image and every hop must be needed: the answer must not follow without the one or the other.

They ask all facts, not the one that was drawn.
"""

from kbe_graph.checks.chain import chain_with_fact, given_names
from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import CHAIN, FACT, WORDED
from kbe_graph.checks.solver import Given, Solver
from kbe_graph.facts.walk import Walk
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class ImageNotNeeded:
    """Refuses a question whose words alone lead to the answer."""

    name = "image not needed"
    stage: Stage = "question"
    reads: Reads = "question"
    rule = "the words alone must not lead to the answer: no thing that they name, nor most things of a kind"
    columns = WORDED
    refused = CHAIN._replace(text="What is the capital of the United Kingdom, which borders the country on that flag?")
    passed = CHAIN._replace(text="What is the capital of the only country bordering the one on that flag?")

    def __init__(self, walk: Walk, solver: Solver) -> None:
        self._walk = walk
        self._solver = solver

    def decide(self, candidate: Candidate) -> Decision:
        """Ask for what follows from the words; before there are any, from those of the question before."""
        given = Given(candidate.text or candidate.question.text)
        if right_names(candidate, self._walk) & self._solver.answers(chain_with_fact(candidate), given):
            return Decision(keep=False, reason=self.name, detail="the words alone lead to the answer")
        return KEEP


class HopNotNeeded:
    """Refuses a question whose answer follows without its last fact from something earlier in the chain."""

    name = "hop not needed"
    stage: Stage = "question"
    reads: Reads = "question"
    rule = "no earlier thing of the chain may lead to the answer without the last fact"
    columns = FACT
    refused = CHAIN._replace(relation="continent", object="Europe")
    passed = CHAIN

    def __init__(self, walk: Walk, solver: Solver) -> None:
        self._walk = walk
        self._solver = solver

    def decide(self, candidate: Candidate) -> Decision:
        """Give each earlier object away by turns."""
        right, links = right_names(candidate, self._walk), chain_with_fact(candidate)
        for place, name in enumerate(given_names(candidate)):
            if right & self._solver.answers(links, Given(places=(place,), last_fact=False)):
                detail = f"{name} leads to the answer without the last fact"
                return Decision(keep=False, reason=self.name, detail=detail)
        return KEEP


def right_names(candidate: Candidate, walk: Walk) -> frozenset[str]:
    """Return the folded names that are right answers to the question a candidate would become."""
    fact = candidate.fact
    return frozenset(map(fold, (fact.object, *fact.aliases, *walk.pack.aliases(fact.object_id))))
