"""A question that offers its answers leaves nothing to see."""

import re

from kbe_graph.filters.row import ASKED, Row
from kbe_graph.lexicon.inflect import lemmas
from kbe_graph.types import KEEP, Candidate, Decision, Stage

_CHOICE = re.compile(r"^(?:is|are|was|were|do|does|did|would|will|should|has|have|it is)\b(?!.*\bwhat\b).*\bor\b")
_WHICH = re.compile(
    r"\b(?:which|what)\b[^,]*\b(?:is|are|more|better)\b[^,]*,?\s*\b(?:the |an? )?\w+ or (?:the |an? )?\w+\W*$"
)


class EitherOr:
    """Refuses to go on from a question that offers its answer with "or"."""

    name = "either-or"
    stage: Stage = "fact"
    rule = "the question must not offer its own answer (a cat or a dog?)"
    columns = ASKED
    example = Row("What type of train is that freight or passenger?", "freight")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the question that the answer was given to; those of our own hops offer nothing."""
        question = candidate.question
        text = question.text.strip().lower()
        if question.kind != "raw" or " or " not in text:
            return KEEP
        offered = set(lemmas(question.answer)) & set(lemmas(text))
        if offered or _CHOICE.match(text) or _WHICH.search(text):
            return Decision(keep=False, reason=self.name, detail=min(offered, default="or"))
        return KEEP
