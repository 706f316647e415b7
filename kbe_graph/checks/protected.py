"""What not to ask of people: race, nationality, religion, gender, sexual orientation, age (WikiVQABench's list)."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import FACT, Row
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.facts.walk import Walk
from kbe_graph.question import read
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Protected:
    """Refuses relations that the pack marks as protected, questions for a protected attribute, and such answers."""

    name = "protected"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "no question, relation or object may tell race, nationality, religion, gender, orientation or age"
    columns = FACT
    refused = Row("What religion holds these animals as sacred?", "Hinduism", "Hinduism", "holy book", "Veda")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def __init__(self, walk: Walk) -> None:
        self._relations = walk.pack.relations

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the relation, then at the words of the question, then at answer and object."""
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
