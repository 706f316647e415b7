"""The image must be needed: the question's own words must not imply the object."""

from kbe_graph.checks.chain import chain_with_fact
from kbe_graph.checks.check import Reads
from kbe_graph.checks.implied import Implications
from kbe_graph.checks.row import FACT, Row
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Blind:
    """Refuses an object that much of what the question's own category noun admits would lead to as well.

    And one of few that it could lead to at all, or that the facts of a thing named in the question lead to.
    """

    name = "blind"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "neither a thing nor many things of a kind that the question names may lead to the object"
    columns = FACT
    refused = Row("What breed of dog is this?", "poodle", "poodle", "taxonomic family", "Canidae")
    passed = Row("What kind of birds are these?", "seagull", "seagull", "taxonomic family", "Laridae")

    def __init__(self, implications: Implications, settings: FilterSettings) -> None:
        self._implications = implications
        self._most = settings.blind_share

    def decide(self, candidate: Candidate) -> Decision:
        """Follow the chain's relations from every common thing of each kind that the question names."""
        concepts, relations, _ = chain_with_fact(candidate)
        implied = self._implications.strongest(candidate.question.text, concepts, relations)
        if implied is None or implied.share < self._most:
            return KEEP
        return Decision(keep=False, reason=self.name, detail=implied.why)
