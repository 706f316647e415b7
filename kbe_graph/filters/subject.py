"""The fact must be about the current answer."""

from kbe_graph.filters.row import FACT, Row
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Subject:
    """Refuses a fact about anything but the concept of the current answer."""

    name = "subject"
    stage: Stage = "fact"
    rule = "the fact's subject must be the current answer"
    columns = FACT
    example = Row("What animal is this?", "giraffe", "elephant", "taxonomic family", "Elephantidae")

    def decide(self, candidate: Candidate) -> Decision:
        """Compare by id where the answer's concept is known, else by name."""
        question, fact = candidate.question, candidate.fact
        same = fact.subject_id == question.concept if question.concept else fold(fact.subject) == fold(question.answer)
        detail = f"{fact.subject!r} is not the answer {question.answer!r}"
        return KEEP if same else Decision(keep=False, reason=self.name, detail=detail)
