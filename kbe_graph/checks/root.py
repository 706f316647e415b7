"""The root of a chain: a noun must stand for the first answer, one that it can be and that the picture shows."""

import re

from kbe_graph.checks.check import Reads
from kbe_graph.checks.relabel import names_a_name
from kbe_graph.checks.row import CALLED, Row
from kbe_graph.english.concept import synset_of
from kbe_graph.english.inflect import singular
from kbe_graph.english.words import words
from kbe_graph.question.sought import may_be
from kbe_graph.types import KEEP, Candidate, Decision, Stage
from kbe_graph.wording.reference import head_word

_SORT = re.compile(r"^((?:the|this|these) )(?:[\w'-]+ )??(?:kind|type|sort|breed|species|variety|category)s? of ")
_NOTHING = {"thing", "one", "item", "object", "stuff"}


class Root:
    """Refuses a first answer that no noun stands for, or one that the answer is not: its sense is another."""

    name = "no root"
    stage: Stage = "question"
    reads: Reads = "reference"
    rule = "a noun tied to the picture must stand for the first answer, one that it can be: not 'the thing', nor a name"
    columns = CALLED
    refused = Row("What is he using?", "racket", "racket", "sport", "tennis", called="the thing he is using")
    passed = Row("What sport is this?", "soccer", "soccer", "playing area", "field", called="this sport")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the plainest phrase for the first answer."""
        first = candidate.called[0] if candidate.called else ""
        noun = root_noun(first)
        if not noun or noun in _NOTHING or names_a_name(noun):
            return Decision(keep=False, reason=self.name, detail=first or candidate.sample.question)
        root = candidate.question.root[-1].object
        synset = synset_of(root.concept)
        if synset is None or may_be(synset, noun):
            return KEEP
        return Decision(keep=False, reason=self.name, detail=f"{root.label!r} is no {noun!r}")


def root_noun(phrase: str) -> str:
    """Return the singular noun that a phrase calls a thing by, of a kind what it is one of, empty where there is none.

    >>> root_noun("the kind of birds in this image"), root_noun("the in the world where he is")
    ('bird', '')
    """
    noun = singular(head_word(_SORT.sub(r"\1", phrase)))
    return "" if noun in words("stop") else noun
