"""Questions that rules cannot ask on from, whatever their answer: no noun phrase can stand for it.

A model that words the questions is not bound by this.
"""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import ASKED, Row
from kbe_graph.question import read
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Readable:
    """Refuses to go on from a question of a form, as its reading names it (``Reading.form``), or with a wrong word."""

    name = "not readable"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "the question must ask for one thing in one well-spelled sentence: no yes or no, no choice, how, why, opinion"
    )
    columns = ASKED
    refused = Row("Is this animal dangerous?", "giraffe")
    passed = Row("What animal is this?", "giraffe")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the benchmark's question; our own ask for a relation's object, and pass."""
        question = candidate.question
        if question.kind != "raw":
            return KEEP
        reading = read(question.text)
        detail = reading.form or reading.misspelled
        return Decision(keep=False, reason=self.name, detail=detail) if detail else KEEP
