"""Answers that name a product, firm, team or person, or that count, date or agree, lead nowhere the image shows."""

import re

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import ASKED, Row
from kbe_graph.english.concept import synset_of
from kbe_graph.question import read
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage

_NUMBER = re.compile(
    r"^[\d.,:/%$ ]+(?:\s*\w+)?$|^(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|hundreds?|thousands?|dozen)\b"
)
_NO_NAME = {"number", "time", "yes or no"}
_AGREES = {
    *("yes", "no", "maybe", "both", "neither", "none", "nothing", "unknown", "unsure", "always", "never", "sometimes"),
    *("all", "many", "few"),
}


class AnswerType:
    """Refuses to go on from a question for a brand, company, team, personal name, number, time, or yes or no."""

    name = "answer-type"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "the question must not ask for a number, time, or yes or no, nor for a brand, company, team or person "
        "that no facts are known of"
    )
    columns = ASKED
    refused = Row("What team is the player from?", "yankees")
    passed = Row("What animal is this?", "giraffe")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the answer, then at how the question asks; those of our own hops ask for a relation's object."""
        question = candidate.question
        kind = refused_type(question.text, question.answer) if question.kind == "raw" else ""
        if kind not in _NO_NAME and question.concept and synset_of(question.concept) is None:
            return KEEP
        return Decision(keep=False, reason=self.name, detail=kind) if kind else KEEP


def refused_type(question: str, answer: str) -> str:
    """Return the refused type that a question asks for or an answer has, empty where there is none."""
    given = fold(answer)
    if _NUMBER.match(given):
        return "number"
    if given in _AGREES:
        return "yes or no"
    return read(question).refused_type
