"""The fact must be about the current answer."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import FACT, Row
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Subject:
    """Refuses a fact about anything but the concept of the current answer."""

    name = "subject"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "the fact's subject must be the current answer"
    columns = FACT
    refused = Row("What animal is this?", "giraffe", "elephant", "taxonomic family", "Elephantidae")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def decide(self, candidate: Candidate) -> Decision:
        """Compare by id where the answer's concept is known, else by name."""
        question, fact = candidate.question, candidate.fact
        same = fact.subject_id == question.concept if question.concept else fold(fact.subject) == fold(question.answer)
        detail = f"{fact.subject!r} is not the answer {question.answer!r}"
        return KEEP if same else Decision(keep=False, reason=self.name, detail=detail)
