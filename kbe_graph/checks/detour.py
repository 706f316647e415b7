"""One family of relations is used once in a chain: up a taxonomy and down again is a detour."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import CHAIN, FACT
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.facts.walk import Walk
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Detour:
    """Refuses a relation whose family the chain has used, but for families that the settings let repeat."""

    name = "detour"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "no two relations of one family in a chain: a step up and one down again is a detour"
    columns = FACT
    refused = CHAIN._replace(
        question="What is the only country bordering the country on that flag?",
        relation="only neighbour",
        object="Ireland",
    )
    passed = CHAIN

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._relations = walk.pack.relations
        self._shared = settings.shared_families

    def decide(self, candidate: Candidate) -> Decision:
        """Compare the family of the fact's relation with those of the key path."""
        family = self._family(candidate.fact.relation)  # none of a relation that the table lacks, as those of a picture
        used = {self._family(triplet.relation) for triplet in candidate.question.key}
        if family in used - {*self._shared, ""}:
            return Decision(keep=False, reason=self.name, detail=f"a relation of {family!r} is in the chain")
        return KEEP

    def _family(self, relation: str) -> str:
        return self._relations[relation].family if relation in self._relations else ""
