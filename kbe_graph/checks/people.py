"""Checks of questions about people: no names, no groups of birth and no protected attributes."""

from kbe_graph.checks.check import FilterSettings, Reads, Row
from kbe_graph.english.kinds import is_of_kind, synset_of
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.facts.walk import Walk
from kbe_graph.question import read
from kbe_graph.types import KEEP, Candidate, Decision, Stage

_AGENT = ("er", "or")
_SHORTEST_VERB = 3  # letters


class Person:
    """Check that people appear only by role, not by name, birth, faith, sex, age or family."""

    name = "person"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "people may appear by role only (umpire, chef): no names, nationalities, faiths, sexes, ages or relatives"
    refused = Row("Who rides this?", "child", "child", "medical specialty", "pediatrics")
    passed = Row("Who stands behind the catcher?", "umpire", "umpire", "workplace", "diamond")

    def __init__(self, settings: FilterSettings) -> None:
        self._naming = settings.naming_relations

    def decide(self, candidate: Candidate) -> Decision:
        """Check the current answer, and the object unless the settings allow its relation to name people."""
        fact = candidate.fact
        things = [(fact.subject_id, fact.subject), (fact.object_id, fact.object)]
        for concept, name in things[: 1 if fact.relation in self._naming else 2]:
            if refused_person(concept):
                return Decision(keep=False, reason=self.name, detail=f"{name!r} is a person, and not by role")
        return KEEP


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


class Protected:
    """Check that neither relation, question, answer nor object is about a protected attribute."""

    name = "protected"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "no question, relation or object may be about race, nationality, religion, gender, orientation or age"
    refused = Row("What religion holds these animals as sacred?", "Hinduism", "Hinduism", "holy book", "Veda")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def __init__(self, walk: Walk) -> None:
        self._relations = walk.pack.relations

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the relation, then at the words of the question, then at the answer and the object."""
        fact = candidate.fact
        relation = self._relations.get(fact.relation)
        if relation is not None and relation.protected:
            return Decision(keep=False, reason=self.name, detail=f"the relation {fact.relation!r} is protected")
        if words := read(candidate.question.text).protected or read(fact.relation).protected:
            return Decision(keep=False, reason=self.name, detail=f"the question asks for {words!r}")
        for concept, name in ((fact.subject_id, fact.subject), (fact.object_id, fact.object)):
            if is_of_kind(concept, "protected attribute"):
                return Decision(keep=False, reason=self.name, detail=f"{name!r} is a protected attribute")
        return KEEP
