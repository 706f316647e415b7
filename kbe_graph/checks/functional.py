"""One right answer: the relation is functional, and all facts agree on one object."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import FACT, Row
from kbe_graph.facts.walk import Walk
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Functional:
    """Refuses a relation that may have several objects, and a subject that has several in the pack."""

    name = "functional"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "the relation must be functional, and the facts must give the subject one object under it"
    columns = FACT
    refused = Row("Where can i go to see views like this?", "Switzerland", "Switzerland", "neighbour", "Austria")
    passed = Row("What flag is that?", "Switzerland", "Switzerland", "capital", "Bern")

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def decide(self, candidate: Candidate) -> Decision:
        """Ask the whole pack, not the fact alone; two objects that share a name count as one."""
        fact = candidate.fact
        relation = self._walk.pack.relations.get(fact.relation)
        if relation is None or not relation.functional:
            detail = f"{fact.relation!r} may have several objects"
            return Decision(keep=False, reason=self.name, detail=detail)
        objects = self._walk.step(fact.subject_id, fact.relation)
        own = self._walk.names(fact.object_id)
        others = [other for other in objects if other != fact.object_id and not own & self._walk.names(other)]
        if others or fact.object_id not in objects:
            names = ", ".join(self._walk.label(concept) for concept in objects) or "nothing"
            return Decision(keep=False, reason=self.name, detail=f"the pack gives {names}")
        return KEEP
