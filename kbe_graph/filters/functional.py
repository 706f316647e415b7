"""One right answer: the relation is functional, and all facts agree on one object."""

from kbe_graph.filters.row import FACT, Row
from kbe_graph.knowledge.walk import Walk
from kbe_graph.lexicon.concept import synset_of
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Functional:
    """Refuses a relation that may have several objects, and a subject that has several in the pack."""

    name = "functional"
    stage: Stage = "fact"
    rule = "the relation must be functional, and the facts must give the subject one object under it"
    columns = FACT
    example = Row("Where can i go to see views like this?", "Switzerland", "Switzerland", "neighbour", "Austria")

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def decide(self, candidate: Candidate) -> Decision:
        """Ask the whole pack, not the fact alone; two objects that share a name count as one."""
        fact = candidate.fact
        relation = self._walk.pack.relations.get(fact.relation)
        if relation is None or not relation.functional:
            detail = f"{fact.relation!r} may have several objects"
            return Decision(keep=False, reason=self.name, detail=detail)
        driven = synset_of(fact.object_id) if fact.relation == "power source" else None
        if driven and driven.lexname == "noun.body":
            return Decision(keep=False, reason=self.name, detail=f"{fact.object!r} is part of whoever is driving")
        found = self._walk.step(fact.subject_id, fact.relation)
        own = self._walk.names(fact.object_id)
        others = [one for one in found if one != fact.object_id and not own & self._walk.names(one)]
        if others or fact.object_id not in found:
            names = ", ".join(self._walk.label(one) for one in found) or "nothing"
            return Decision(keep=False, reason=self.name, detail=f"the pack gives {names}")
        return KEEP
