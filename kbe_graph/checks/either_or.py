"""A question that offers its answers leaves nothing to see."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import ASKED, Row
from kbe_graph.english.inflect import lemmas
from kbe_graph.question import read
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class EitherOr:
    """Refuses to go on from a question that offers its answer with "or"."""

    name = "either-or"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "the question must not offer its own answer (a cat or a dog?)"
    columns = ASKED
    refused = Row("What type of train is that freight or passenger?", "freight")
    passed = Row("What animal is this?", "giraffe")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the question that the answer was given to; those of our own hops offer nothing."""
        question = candidate.question
        text = question.text.strip().lower()
        if question.kind != "raw" or " or " not in text:
            return KEEP
        offered = set(lemmas(question.answer)) & set(lemmas(text))
        if offered or read(question.text).asks("choice"):
            return Decision(keep=False, reason=self.name, detail=min(offered, default="or"))
        return KEEP
