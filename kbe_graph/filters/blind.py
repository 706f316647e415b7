"""The image must be needed: the question's own words must not imply the object."""

from kbe_graph.filters.chain import lengthened
from kbe_graph.filters.implied import Implications
from kbe_graph.filters.row import FACT, Row
from kbe_graph.filters.settings import FilterSettings
from kbe_graph.knowledge.walk import Walk
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Blind:
    """Refuses an object that most of what the question's own category noun admits would lead to as well."""

    name = "blind"
    stage: Stage = "fact"
    rule = "most things of a kind that the question names must not lead to the object"
    columns = FACT
    example = Row("What breed of dog is this?", "poodle", "poodle", "taxonomic order", "Carnivora")

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._walk = walk
        self._most = settings.blind_share
        self._implications = Implications(walk, settings)

    def decide(self, candidate: Candidate) -> Decision:
        """Follow the chain's relations from every common thing of each kind that the question names."""
        concepts, relations, _ = lengthened(candidate)
        fact = candidate.fact
        found = self._implications.strongest(candidate.question.text, concepts, relations, fact.object_id)
        if found is None or found.share < self._most:
            return KEEP
        label = self._walk.pack.label(found.kind) or found.kind
        detail = f"{found.share:.0%} of what {label!r} admits gives {fact.object!r}"
        return Decision(keep=False, reason=self.name, detail=detail)
