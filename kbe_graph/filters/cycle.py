"""No way back: the new object must not be, nor lead to, a subject of the key (KBE, section 3.2, cycle check)."""

from collections.abc import Iterable

from kbe_graph.filters.row import FACT, Row
from kbe_graph.knowledge.walk import Walk
from kbe_graph.lexicon.concept import kinds_of
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage, Triplet


class Cycle:
    """Refuses an object that equals a subject of the key path, by id or by any of its names, or leads back to one.

    The local twin of the check in Cypher, which sees the graph alone; this one sees other names too.
    """

    name = "cycle"
    stage: Stage = "fact"
    rule = "the object must not be a subject of the key path under any name, nor a kind of one, nor lead back to one"
    columns = FACT
    example = Row(
        "Where in the world is this picture taken?",
        "Seine",
        "Seine",
        "country",
        "France",
        path="France > capital > Paris > river > Seine",
    )

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def decide(self, candidate: Candidate) -> Decision:
        """Compare with the subjects of the key and the current answer, then follow the sample's graph."""
        fact, key = candidate.fact, candidate.question.key
        nodes = [*(triplet.subject for triplet in key), key[-1].object]
        ids = {fact.subject_id, candidate.question.concept, *(node.concept for node in nodes)} - {""}
        names = {fold(name) for name in (*(node.name for node in nodes), *map(self._walk.pack.label, ids))}
        same = names & {fold(fact.object), *map(fold, fact.aliases), *self._walk.names(fact.object_id)} - {""}
        if same or fact.object_id in ids:
            return Decision(keep=False, reason=self.name, detail=f"{fact.object!r} is in the chain")
        if kin := self._kin(fact.object_id, ids):
            return Decision(
                keep=False, reason=self.name, detail=f"{fact.object!r} is a kind of {kin!r}, or the reverse"
            )
        graph = candidate.graph
        back = _reached(fold(fact.object), (*graph.visual, *graph.textual)) & {node.key for node in nodes}
        detail = f"{fact.object!r} leads back to {min(back, default='')!r}"
        return Decision(keep=False, reason=self.name, detail=detail) if back else KEEP

    def _kin(self, concept: str, ids: Iterable[str]) -> str:
        """Return the thing of the chain that is a kind of the object or has it as a kind: cow, beef, cattle."""
        found = (one for one in sorted(ids) if one in kinds_of(concept) or concept in kinds_of(one))
        return next(map(self._walk.label, found), "")


def _reached(start: str, triplets: Iterable[Triplet]) -> set[str]:
    edges = [(triplet.subject.key, triplet.object.key) for triplet in triplets]
    queue, found = [start], set[str]()
    for here in queue:
        new = {there for one, there in edges if one == here} - found
        found |= new
        queue.extend(sorted(new))
    return found
