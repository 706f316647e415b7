"""Checks of a single fact: new, about the answer, functional, a noun and not another name (KBE, section 3.2)."""

import re
from functools import lru_cache

from kbe_graph.checks.check import FactCheck, FilterSettings, Row
from kbe_graph.english.noun import ENGLISH, REASON, is_in_no_dictionary, is_noun, is_of_named_kind
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import synset_of
from kbe_graph.facts.grounding import Demand, ProposedFact, say_same
from kbe_graph.facts.walk import Walk
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Triplet


class Subject(FactCheck):
    """Check that the fact is about the concept of the current answer."""

    name = "subject"
    rule = "the subject of the fact must be the current answer"
    refused = Row("What animal is this?", "giraffe", "elephant", "taxonomic family", "Elephantidae")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def _fault(self, candidate: Candidate) -> str | None:
        question, fact = candidate.question, candidate.fact
        same = fact.subject_id == question.concept if question.concept else fold(fact.subject) == fold(question.answer)
        return None if same else f"{fact.subject!r} is not the answer {question.answer!r}"


class Blocked(FactCheck):
    """Check that the settings do not block the fact's relation, whatever its source."""

    name = "blocked relation"
    rule = "the relation must not be listed in `blocked_relations` in `[filters]`"
    refused = Row("What animal is this?", "giraffe", "giraffe", "young", "calf")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def __init__(self, settings: FilterSettings) -> None:
        self._blocked = frozenset(map(fold, settings.blocked_relations))

    def _fault(self, candidate: Candidate) -> str | None:
        relation = candidate.fact.relation
        return relation if self._blocked and fold(relation) in self._blocked else None


class Duplicate(FactCheck):
    """Check that the sample's graph does not already connect the object to the current answer.

    A model words its relations freely, and another relation or direction has another meaning, so its fact is a
    duplicate only of an edge with the same meaning.
    """

    name = "duplicate"
    rule = "the sample's graph must not already connect the object to the current answer"
    refused = Row("What meat do we get from these animals?", "cow", "cow", "meat", "beef", path="beef > female > cow")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def _fault(self, candidate: Candidate) -> str | None:
        fact, graph = candidate.fact, candidate.graph
        ends = (candidate.question.end.key, fold(fact.object))
        ties = _says_same if isinstance(fact, ProposedFact) else _ties
        edges = (*graph.visual, *graph.textual, *candidate.question.key)
        edge = next((triplet for triplet in edges if ties(triplet, ends, fact.relation)), None)
        return f"the graph holds {edge.id!r}" if edge else None


def _ties(triplet: Triplet, ends: tuple[str, str], _: str) -> bool:
    return {triplet.subject.key, triplet.object.key} == set(ends)


def _says_same(triplet: Triplet, ends: tuple[str, str], relation: str) -> bool:
    return (triplet.subject.key, triplet.object.key) == ends and say_same(triplet.relation, relation)


class Functional(FactCheck):
    """Check that the relation allows only one object, and that the pack gives the subject exactly one."""

    name = "functional"
    rule = "the relation must be functional, and the facts must give the subject exactly one object for it"
    refused = Row("Where can i go to see views like this?", "Switzerland", "Switzerland", "neighbour", "Austria")
    passed = Row("What flag is that?", "Switzerland", "Switzerland", "capital", "Bern")

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def _fault(self, candidate: Candidate) -> str | None:
        fact = candidate.fact
        relation = self._walk.pack.relations.get(fact.relation)
        if relation is None or not relation.functional:
            return f"{fact.relation!r} may have several objects"
        objects = self._walk.step(fact.subject_id, fact.relation)
        own = self._walk.names(fact.object_id)
        others = [other for other in objects if other != fact.object_id and not own & self._walk.names(other)]
        if others or fact.object_id not in objects:
            return f"the pack gives {', '.join(map(self._walk.label, objects)) or 'nothing'}"
        return None


_NAMES = {"name", "nickname", "word", "code", "abbreviation", "acronym", "synonym", "translation", "formula"}
_ENDS = (" for ", " of ", " in ", " by ")


class Relabel(FactCheck):
    """Check that the object is not another name, a word or a code for its subject."""

    name = "relabel"
    rule = "the object must be a different thing, not a name, a word or a code for the subject"
    refused = Row("What animal is this?", "giraffe", "giraffe", "scientific name", "Giraffa camelopardalis")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def _fault(self, candidate: Candidate) -> str | None:
        fact = candidate.fact
        subject, object_ = (
            self._walk.names(concept) | {fold(name)}
            for concept, name in ((fact.subject_id, fact.subject), (fact.object_id, fact.object))
        )
        return fact.relation if names_a_name(fact.relation) or subject & object_ else None


def names_a_name(relation: str) -> bool:
    """Return True if a relation leads to a name, a word or a code, judged by the noun before its first preposition.

    >>> names_a_name("scientific name"), names_a_name("code of the country"), names_a_name("capital")
    (True, True, False)
    """
    noun = f"{relation.lower()} "
    for end in _ENDS:
        noun = noun.partition(end)[0]
    return bool(set(noun.split()[-1:]) & _NAMES)


STOP_NOUNS = {
    *("activity", "area", "being", "body", "building", "creature", "device", "equipment", "event", "female"),
    *("game", "group", "human", "instrument", "item", "kind", "language", "liquid", "living thing", "machine", "male"),
    *("material", "matter", "member", "name", "nature", "number", "object", "organism", "part", "people"),
    *("person", "place", "product", "sort", "structure", "stuff", "substance", "system", "thing", "time", "tool"),
    *("type", "unit", "way", "world"),
}


class Generic(FactCheck):
    """Check that the object is neither near the top of WordNet nor a noun that fits nearly anything."""

    name = "generic"
    rule = "the object must not be near the top of WordNet, nor a noun that fits nearly anything"
    refused = Row("What large circular object is this?", "clock", "clock", "quantity measured", "time")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def __init__(self, settings: FilterSettings, *, by_kind: bool = True) -> None:
        self._depth = settings.generic_depth
        self._by_kind = by_kind

    def _fault(self, candidate: Candidate) -> str | None:
        fact = candidate.fact
        if fold(fact.object) in STOP_NOUNS:
            return f"{fact.object!r} may be nearly anything"
        synset = synset_of(fact.object_id) if self._by_kind else None
        if synset is None or synset.instance:
            return None
        steps = depth(synset.id)
        is_specific = synset.lexname != "noun.Tops" and steps > self._depth
        return None if is_specific else f"{fact.object!r} is {steps} steps below the top"


@lru_cache(1 << 14)
def depth(synset: str) -> int:
    """Count the fewest steps from a synset up to ``entity``."""
    return min((1 + depth(above) for above in wordnet().synset(synset).hypernyms), default=0)


class GroundingCheck(FactCheck):
    """Base of the checks of a proposed fact's grounding label; facts from a pack always pass."""

    def _fault(self, candidate: Candidate) -> str | None:
        fact = candidate.fact
        return "" if isinstance(fact, ProposedFact) and fact.grounding == self.name else None


class Contradicted(GroundingCheck):
    """Check that the known facts do not contradict a fact proposed by a model."""

    name = "contradicted"
    rule = "the known facts must not give a different object from the one that a model proposes"
    refused = Row("What flag is that?", "japan", "japan", "has capital", "Kyoto")
    passed = Row("What flag is that?", "japan", "japan", "has capital", "Tokyo")


class Unsupported(GroundingCheck):
    """Check that the known facts confirm a fact proposed by a model."""

    name = "unsupported"
    rule = "the known facts must confirm what a model proposes (--ground require)"
    refused = Row("What flag is that?", "japan", "japan", "has national anthem sung at", "stadium")
    passed = Contradicted.passed


def grounding_checks(demand: Demand) -> tuple[Contradicted | Unsupported, ...]:
    """Choose the checks for a demand: refuse all facts but grounded ones, only contradicted ones, or none."""
    checks = {"require": (Contradicted(), Unsupported()), "prefer": (Contradicted(),), "report": ()}
    return checks[demand]


_FIGURE = re.compile(r"1[0-9]{3}|20[0-9]{2}|\+[0-9]+")


class Noun(FactCheck):
    """Check that the object is a noun; an object that a known fact links to a concept counts as one, as does a figure.

    A fact proposed by a model has no link, so its object is tested by its words (English only), and by the type that
    the model gave it or the noun that the draft question asks for. In other languages, only numbers are refused.
    """

    name = REASON
    rule = "the object must be a noun (KBE, answer filter, part 1), a year or a calling code"
    refused = Row("How is this food cooked?", "grilled")
    passed = Row("What animal is this?", "giraffe")

    def __init__(self, language: str = ENGLISH) -> None:
        self._language = language

    def decide(self, candidate: Candidate) -> Decision:
        """Test the object, or the answer for a table row without a fact."""
        fact, question = candidate.fact, candidate.question
        kind = fact.type if isinstance(fact, ProposedFact) else ""
        if not fact.object:
            return self._of_words(question.answer, question.text, kind)
        if isinstance(fact, ProposedFact):
            return self._of_words(fact.object, kind=kind)
        is_name = any(map(str.isalpha, fact.object)) or _FIGURE.fullmatch(fact.object)
        return KEEP if fact.object_id and is_name else self._of_words(fact.object)

    def _of_words(self, name: str, question: str = "", kind: str = "") -> Decision:
        decision = is_noun(question, name, language=self._language)
        if decision.keep or not kind or self._language != ENGLISH:
            return decision
        return KEEP if is_of_named_kind(name, kind) or is_in_no_dictionary(name) else decision
