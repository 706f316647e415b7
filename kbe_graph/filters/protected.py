"""What must not be asked of people: race, nationality, religion, gender, sexual orientation, age (WikiVQABench's list)."""

import re

from kbe_graph.filters.row import FACT, Row
from kbe_graph.knowledge.walk import Walk
from kbe_graph.lexicon.concept import kinds_of
from kbe_graph.types import KEEP, Candidate, Decision, Stage

# ethnic group, race (of people), nationality (people), religion (belief, and institution), sexual orientation, gender
ATTRIBUTES = frozenset(
    {
        *("wn30:07967382-n", "wn30:07967982-n", "wn30:07949463-n", "wn30:05946687-n", "wn30:08081668-n"),
        *("wn30:05006898-n",),
    }
)
_PEOPLE = r"(?:(?:this|that|the|these|those|a)\s+)?(?:\w+\s+)?(?:man|woman|men|women|people|persons?|boy|girl|kid|child|lady|guy)"
_ASKED = re.compile(
    r"\b(?:ethni\w*ty|ethnic (?:group|origin|background)s?|nationalit\w+|religions?|faith|genders?|sexual\w*|skin colou?r"
    rf"|age (?:group|range|bracket)|race of {_PEOPLE}|(?:what|which) race (?:is|are|does|do|was) {_PEOPLE})\b"
    r"|\bwhat(?:'s| is)? (?:the )?sex\b"
    rf"|\b(?:where|what (?:country|continent|nation)) (?:is|are|was|were|does|do|did) {_PEOPLE} (?:\w+ )?(?:come )?from\b",
    re.IGNORECASE,
)


class Protected:
    """Refuses relations that the pack marks as protected, questions that ask for a protected attribute, and such answers."""

    name = "protected"
    stage: Stage = "fact"
    rule = "no question, relation or object may tell race, nationality, religion, gender, orientation or age"
    columns = FACT
    example = Row("What religion holds these animals as sacred?", "Hinduism", "Hinduism", "holy book", "Veda")

    def __init__(self, walk: Walk) -> None:
        self._relations = walk.pack.relations

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the relation, then at the words of the question, then at answer and object."""
        fact = candidate.fact
        relation = self._relations.get(fact.relation)
        if relation is not None and relation.protected:
            return Decision(keep=False, reason=self.name, detail=f"the relation {fact.relation!r} is protected")
        if found := _ASKED.search(candidate.question.text) or _ASKED.search(fact.relation):
            return Decision(keep=False, reason=self.name, detail=f"the question asks for {found[0]!r}")
        for concept, name in ((fact.subject_id, fact.subject), (fact.object_id, fact.object)):
            if not ATTRIBUTES.isdisjoint(kinds_of(concept)):
                return Decision(keep=False, reason=self.name, detail=f"{name!r} is a protected attribute")
        return KEEP
