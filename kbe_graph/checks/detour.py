"""A chain stays with what it began at: no family of relations twice, and nothing of a place that a thing led to."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import CHAIN, FACT
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.english.entity_type import entity_type
from kbe_graph.facts.walk import Walk
from kbe_graph.types import KEEP, Candidate, Decision, Entity, Stage


class Detour:
    """Refuses a relation whose family the chain has used, and any fact of a place that a chain about a thing led to.

    Up a taxonomy and down again says nothing new; the rivers of a bagel's country say nothing of the bagel. Families
    that the settings let repeat are free.
    """

    name = "detour"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "no two relations of one family in a chain, and a chain that began at no place ends at the first place"
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
        """Compare the family of the fact's relation with those of the key path, and its subject with the first answer."""
        family = self._family(candidate.fact.relation)  # none of a relation that the table lacks, as those of a picture
        used = {self._family(triplet.relation) for triplet in candidate.question.key}
        if family in used - {*self._shared, ""}:
            return Decision(keep=False, reason=self.name, detail=f"a relation of {family!r} is in the chain")
        first, here = candidate.question.root[-1].object, candidate.question.end
        if _is_place(here) and not _is_place(first):
            return Decision(keep=False, reason=self.name, detail=f"{here.label!r} is a place, {first.label!r} is none")
        return KEEP

    def _family(self, relation: str) -> str:
        return self._relations[relation].family if relation in self._relations else ""


def _is_place(entity: Entity) -> bool:
    return entity_type(entity.name, entity.concept) == "location"
