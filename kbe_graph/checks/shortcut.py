"""Every hop must be needed: no earlier thing may lead to the object in fewer steps."""

from kbe_graph.checks.chain import chain_with_fact
from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import CHAIN, FACT
from kbe_graph.facts.walk import Walk
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Fact, Stage


class Shortcut:
    """Refuses an object that all facts together reach from an earlier node of the chain in fewer hops than the chain.

    What is seen on the way to the first answer counts as earlier too.
    """

    name = "shortcut"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "no earlier thing of the chain, seen or explored, may lead to the object in fewer hops"
    columns = FACT
    refused = CHAIN._replace(
        question="What is the only country bordering the country on that flag?", relation="continent", object="Europe"
    )
    passed = CHAIN

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def decide(self, candidate: Candidate) -> Decision:
        """Compare each earlier node's distance along the chain with its distance over all facts."""
        fact = candidate.fact
        concepts, _, seen = chain_with_fact(candidate)
        earlier = (*seen, *concepts[:-2])
        along = (*(len(concepts) for _ in seen), *range(len(concepts) - 1, 1, -1))
        for concept, steps in zip(earlier, along, strict=True):
            if concept != fact.subject_id and self._leads(concept, fact, steps - 1):
                label = self._walk.label(concept)
                return Decision(keep=False, reason=self.name, detail=f"{label!r} leads to {fact.object!r} sooner")
        return KEEP

    def _leads(self, concept: str, fact: Fact, hops: int) -> bool:
        return self._walk.distance(concept, (fact.object_id, fold(fact.object)), hops) is not None
