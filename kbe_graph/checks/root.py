"""Checks of the root of a chain: a noun phrase must stand for the first answer, and fit it."""

import re
from collections.abc import Mapping
from functools import cache

from kbe_graph.checks.check import Reads, Row
from kbe_graph.checks.fact import names_a_name
from kbe_graph.english.kinds import kinds_of, synset_of
from kbe_graph.english.number import singular
from kbe_graph.english.words import words
from kbe_graph.files.resources import data, rows
from kbe_graph.question import read
from kbe_graph.question.property import category
from kbe_graph.types import KEEP, Candidate, Decision, Stage
from kbe_graph.wording.reference import head_word


class Readable:
    """Check that a question has a readable form (``Reading.form``) and no misspelled word."""

    name = "not readable"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "the question must ask for one thing in one correctly spelled sentence: not for yes or no, a choice, how, why "
        "or an opinion"
    )
    refused = Row("Is this animal dangerous?", "giraffe")
    passed = Row("What animal is this?", "giraffe")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the benchmark's question; generated ones ask for a relation's object, and pass."""
        question = candidate.question
        if question.kind != "raw":
            return KEEP
        reading = read(question.text)
        detail = reading.form or reading.misspelled
        return Decision(keep=False, reason=self.name, detail=detail) if detail else KEEP


_SORT = re.compile(r"^((?:the|this|these) )(?:[\w'-]+ )??(?:kind|type|sort|breed|species|variety|category)s? of ")
_NOTHING = {"thing", "one", "item", "object", "stuff"}


class Root:
    """Check that a noun stands for the first answer, and that it fits the answer's sense."""

    name = "no root"
    stage: Stage = "question"
    reads: Reads = "reference"
    rule = "the first answer must be described by a noun that fits it: not 'the thing', nor a word such as 'name'"
    refused = Row("What is he using?", "racket", "racket", "sport", "tennis", called="the thing he is using")
    passed = Row("What sport is this?", "soccer", "soccer", "playing area", "field", called="this sport")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the plainest phrase for the first answer."""
        first = candidate.called[0] if candidate.called else ""
        noun = root_noun(first)
        if not noun or noun in _NOTHING or names_a_name(noun):
            return Decision(keep=False, reason=self.name, detail=first or candidate.sample.question)
        root = candidate.question.root[-1].object
        if can_be(root.concept, noun):
            return KEEP
        return Decision(keep=False, reason=self.name, detail=f"{root.label!r} is no {noun!r}")


def root_noun(phrase: str) -> str:
    """Extract the singular noun of a phrase, past any "kind of"; empty if there is none.

    >>> root_noun("the kind of birds in this image"), root_noun("the in the world where he is")
    ('bird', '')
    """
    noun = singular(head_word(_SORT.sub(r"\1", phrase)))
    return "" if noun in words("stop") else noun


def can_be(concept: str, noun: str) -> bool:
    """Return True if a noun may describe a concept: it is a hypernym, or their lexicographer files are compatible.

    ``fits.tsv`` lists the compatible files of WordNet's lexicographers. A concept or noun that WordNet does not list
    may be anything.
    """
    synset, kinds = synset_of(concept), category(noun)
    if synset is None or not kinds or {kind.id for kind in kinds} & set(kinds_of(synset.id)):
        return True
    files = {_file(kind.lexname) for kind in kinds}
    own = _file(synset.lexname)
    return bool(files & _together().get(own, frozenset({own})))


def _file(lexname: str) -> str:
    return lexname.removeprefix("noun.")


@cache
def _together() -> Mapping[str, frozenset[str]]:
    return {own: frozenset(files.split()) for _, (own, files) in rows(data("fits.tsv"), ("answer", "called"))}
