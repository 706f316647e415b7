"""The image must be needed: the question's own words must not imply the object."""

from kbe_graph.filters.chain import lengthened
from kbe_graph.filters.implied import Implications
from kbe_graph.filters.row import FACT, Row
from kbe_graph.filters.settings import FilterSettings
from kbe_graph.knowledge.walk import Walk
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Blind:
    """Refuses an object that most of what the question's own category noun admits would lead to as well.

    And one that the facts of a thing named in the question lead to.
    """

    name = "blind"
    stage: Stage = "fact"
    rule = "neither a thing nor most things of a kind that the question names may lead to the object"
    columns = FACT
    example = Row("What breed of dog is this?", "poodle", "poodle", "taxonomic order", "Carnivora")

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._most = settings.blind_share
        self._implications = Implications(walk, settings)

    def decide(self, candidate: Candidate) -> Decision:
        """Follow the chain's relations from every common thing of each kind that the question names."""
        concepts, relations, _ = lengthened(candidate)
        found = self._implications.strongest(candidate.question.text, concepts, relations)
        if found is None or found.share < self._most:
            return KEEP
        return Decision(keep=False, reason=self.name, detail=found.why)
