"""People are met by their work alone: no names, no groups that one is born into."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import FACT, Row
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.english.concept import synset_of
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Person:
    """Refuses facts about, or answers that are, persons by name, birth, faith, sex, age, family; keeps their roles."""

    name = "person"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "a person must be met by a role (umpire, chef): no names, nationalities, faiths, sexes, ages or relatives"
    columns = FACT
    refused = Row("Who rides this?", "child", "child", "medical specialty", "pediatrics")
    passed = Row("Who stands behind the catcher?", "umpire", "umpire", "workplace", "diamond")

    def __init__(self, settings: FilterSettings) -> None:
        self._naming = settings.naming_relations

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the current answer, and at the object unless the settings let its relation name persons."""
        fact = candidate.fact
        things = [(fact.subject_id, fact.subject), (fact.object_id, fact.object)]
        for concept, name in things[: 1 if fact.relation in self._naming else 2]:
            if refused_person(concept):
                return Decision(keep=False, reason=self.name, detail=f"{name!r} is a person, and not by role")
        return KEEP


def refused_person(concept: str) -> bool:
    """Return whether a concept is a person but not a role."""
    synset = synset_of(concept)
    if synset is None or not is_of_kind(concept, "person", "role"):
        return False
    return synset.instance or is_of_kind(concept, "birth, faith, age or sex") or not is_of_kind(concept, "role")
