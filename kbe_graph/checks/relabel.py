"""A hop leads to another thing of the world, not to another name of the same one."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import FACT, Row
from kbe_graph.facts.walk import Walk
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage

_NAMES = {"name", "nickname", "word", "code", "abbreviation", "acronym", "synonym", "translation", "formula"}
_ENDS = (" for ", " of ", " in ", " by ")


class Relabel:
    """Refuses a fact whose object is another name, a word or a code of its subject."""

    name = "relabel"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "the object must be another thing, not a name, a word or a code of its subject"
    columns = FACT
    refused = Row("What animal is this?", "giraffe", "giraffe", "scientific name", "Giraffa camelopardalis")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def decide(self, candidate: Candidate) -> Decision:
        """Compare the names of subject and object, and look at the last noun of the relation."""
        fact = candidate.fact
        subject, object_ = (
            self._walk.names(concept) | {fold(name)}
            for concept, name in ((fact.subject_id, fact.subject), (fact.object_id, fact.object))
        )
        if names_a_name(fact.relation) or subject & object_:
            return Decision(keep=False, reason=self.name, detail=fact.relation)
        return KEEP


def names_a_name(relation: str) -> bool:
    """Return whether a relation leads to a name, a word or a code: by the noun before its first preposition.

    >>> names_a_name("scientific name"), names_a_name("code of the country"), names_a_name("capital")
    (True, True, False)
    """
    noun = f"{relation.lower()} "
    for end in _ENDS:
        noun = noun.partition(end)[0]
    return bool(set(noun.split()[-1:]) & _NAMES)
