"""A check."""

from kbe_graph import Candidate, Decision
from kbe_graph.checks import Row
from kbe_graph.types import KEEP


class NoRivers:
    """Refuses objects that name a river."""

    name = "no rivers"
    stage = "fact"
    reads = "fact"
    rule = "the object must not name a river"
    refused = Row("What animal is this?", "giraffe", "giraffe", "young", "the calf of the river Niger")
    passed = Row("What animal is this?", "giraffe", "giraffe", "young", "calf")

    def __init__(self, pack: object, settings: object) -> None:
        """Take what a run knows and its thresholds; neither is needed."""

    def decide(self, candidate: Candidate) -> Decision:
        """Look for the word."""
        return Decision(keep=False, reason=self.name) if "river" in candidate.fact.object else KEEP
