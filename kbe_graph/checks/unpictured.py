"""What a question asks for must be told by its image."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import CALLED, Row
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Unpictured:
    """Refuses to ask on about an answer that no phrase ties to the image: the question can be answered without it."""

    name = "no image needed"
    stage: Stage = "question"
    reads: Reads = "reference"
    rule = "a phrase for the first answer must point to the image, or rest on what it shows"
    columns = CALLED
    refused = Row("What type of fuel do jets use?", "kerosene", "kerosene", "raw material", "petroleum")
    passed = Row(
        "What type of fuel does this jet use?",
        "kerosene",
        "kerosene",
        "raw material",
        "petroleum",
        called="the type of fuel this jet uses",
    )

    def decide(self, candidate: Candidate) -> Decision:
        """Look whether there is any phrase: one that ties nothing to the image is never proposed."""
        return KEEP if candidate.called else Decision(keep=False, reason=self.name, detail=candidate.sample.question)
