"""Checks of people, who appear by role alone, and of the root of a chain, whose first answer a noun stands for."""

import re
from collections.abc import Mapping
from functools import cache

from kbe_graph.checks.check import FactCheck, FilterSettings, Reads, Row, WordsCheck
from kbe_graph.checks.fact import names_a_name
from kbe_graph.english.inflect import singular
from kbe_graph.english.property import category
from kbe_graph.english.reading import read
from kbe_graph.english.reference import head_word
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import is_of_kind, kinds_of, synset_of, words
from kbe_graph.facts.walk import Walk
from kbe_graph.files.resources import data, rows
from kbe_graph.types import Candidate

_AGENT = ("er", "or")
_SHORTEST_VERB = 3  # letters


class Person(FactCheck):
    """Check that people appear only by role, not by name, birth, faith, sex, age or family."""

    name = "person"
    rule = "people may appear by role only (umpire, chef): no names, nationalities, faiths, sexes, ages or relatives"
    refused = Row("Who rides this?", "child", "child", "medical specialty", "pediatrics")
    passed = Row("Who stands behind the catcher?", "umpire", "umpire", "workplace", "diamond")

    def __init__(self, settings: FilterSettings) -> None:
        self._naming = settings.naming_relations

    def _fault(self, candidate: Candidate) -> str | None:
        fact = candidate.fact
        things = [(fact.subject_id, fact.subject), (fact.object_id, fact.object)]
        for concept, name in things[: 1 if fact.relation in self._naming else 2]:
            if refused_person(concept):
                return f"{name!r} is a person, and not by role"
        return None


def refused_person(concept: str) -> bool:
    """Return True if a concept is a person but not a role, such as an office or an occupation."""
    synset = synset_of(concept)
    if synset is None or not is_of_kind(concept, "person", "role"):
        return False
    if synset.instance or is_of_kind(concept, "clergy"):
        return synset.instance
    return is_of_kind(concept, "birth, faith, age or sex") or not (is_of_kind(concept, "role") or _is_doer(synset))


def _is_doer(synset: Synset) -> bool:
    return any(_is_agent(lemma) for lemma in synset.lemmas if lemma.islower())


def _is_agent(noun: str) -> bool:
    stem = noun[:-2]
    if not noun.endswith(_AGENT) or len(stem) < _SHORTEST_VERB:
        return False
    verbs = (stem, f"{stem}e", stem[:-1] if stem[-1] == stem[-2] else stem)
    return any(wordnet().knows(verb, "v") for verb in verbs)


class Protected(FactCheck):
    """Check that neither relation, question, answer nor object is about a protected attribute."""

    name = "protected"
    rule = "no question, relation or object may be about race, nationality, religion, gender, orientation or age"
    refused = Row("What religion holds these animals as sacred?", "Hinduism", "Hinduism", "holy book", "Veda")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def __init__(self, walk: Walk) -> None:
        self._relations = walk.pack.relations

    def _fault(self, candidate: Candidate) -> str | None:
        fact = candidate.fact
        relation = self._relations.get(fact.relation)
        if relation is not None and relation.protected:
            return f"the relation {fact.relation!r} is protected"
        if words := read(candidate.question.text).protected or read(fact.relation).protected:
            return f"the question asks for {words!r}"
        for concept, name in ((fact.subject_id, fact.subject), (fact.object_id, fact.object)):
            if is_of_kind(concept, "protected attribute"):
                return f"{name!r} is a protected attribute"
        return None


class Readable(FactCheck):
    """Check that a question has a readable form (``Reading.form``) and no misspelled word."""

    name = "not readable"
    rule = (
        "the question must ask for one thing in one correctly spelled sentence: not for yes or no, a choice, how, why "
        "or an opinion"
    )
    refused = Row("Is this animal dangerous?", "giraffe")
    passed = Row("What animal is this?", "giraffe")

    def _fault(self, candidate: Candidate) -> str | None:
        if candidate.question.kind != "raw":
            return None  # generated ones ask for a relation's object
        reading = read(candidate.question.text)
        return reading.form or reading.misspelled or None


_SORT = re.compile(r"^((?:the|this|these) )(?:[\w'-]+ )??(?:kind|type|sort|breed|species|variety|category)s? of ")
_NOTHING = {"thing", "one", "item", "object", "stuff"}


class Root(WordsCheck):
    """Check that a noun stands for the first answer, and that it fits the answer's sense."""

    name = "no root"
    reads: Reads = "reference"
    rule = "the first answer must be described by a noun that fits it: not 'the thing', nor a word such as 'name'"
    refused = Row("What is he using?", "racket", "racket", "sport", "tennis", called="the thing he is using")
    passed = Row("What sport is this?", "soccer", "soccer", "playing area", "field", called="this sport")

    def _fault(self, candidate: Candidate) -> str | None:
        first = candidate.called[0] if candidate.called else ""
        noun = root_noun(first)
        if not noun or noun in _NOTHING or names_a_name(noun):
            return first or candidate.sample.question
        root = candidate.question.root[-1].object
        return None if can_be(root.concept, noun) else f"{root.label!r} is no {noun!r}"


def root_noun(phrase: str) -> str:
    """Extract the singular noun of a phrase, past any "kind of"; empty if there is none.

    >>> root_noun("the kind of birds in this image"), root_noun("the in the world where he is")
    ('bird', 'world')
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
