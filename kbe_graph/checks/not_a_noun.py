"""An answer must be a noun (KBE, section 3.3), or no further fact hangs on it."""

import re

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import ASKED, Row
from kbe_graph.facts.proposed import ProposedFact
from kbe_graph.senses.noun import ENGLISH, REASON, is_noun
from kbe_graph.types import KEEP, Candidate, Decision, Stage

_FIGURE = re.compile(r"1[0-9]{3}|20[0-9]{2}|\+[0-9]+")


class Noun:
    """Refuses an object that is no noun; what a known fact has linked to a concept is one, or a figure.

    A fact that a model proposed links nothing: its object is tested by its words, in English; of other languages only
    numbers are known.
    """

    name = REASON
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "the object must be a noun (KBE, answer filter, part 1), a year or a calling code"
    columns = ASKED
    refused = Row("How is this food cooked?", "grilled")
    passed = Row("What animal is this?", "giraffe")

    def __init__(self, language: str = ENGLISH) -> None:
        self._language = language

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the object; a row of a table that tells no fact is asked about its answer."""
        fact, question = candidate.fact, candidate.question
        if not fact.object:
            return is_noun(question.text, question.answer)
        linked = fact.object_id and not isinstance(fact, ProposedFact)
        is_name = any(map(str.isalpha, fact.object)) or _FIGURE.fullmatch(fact.object)
        return KEEP if linked and is_name else is_noun("", fact.object, language=self._language)
