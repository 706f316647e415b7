"""A hop must add something to the sample's graph."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import FACT, Row
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Duplicate:
    """Refuses a fact whose object the sample's graph already ties to the current answer."""

    name = "duplicate"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "the sample's graph must not tie the object to the current answer already"
    columns = FACT
    refused = Row("What meat do we get from these animals?", "cow", "cow", "meat", "beef", path="beef > female > cow")
    passed = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def decide(self, candidate: Candidate) -> Decision:
        """Look for an edge between the two names, in either direction."""
        ends = {candidate.question.end.key, fold(candidate.fact.object)}
        graph = candidate.graph
        edges = (
            triplet
            for triplet in (*graph.visual, *graph.textual, *candidate.question.key)
            if {triplet.subject.key, triplet.object.key} == ends
        )
        edge = next(edges, None)
        return KEEP if edge is None else Decision(keep=False, reason=self.name, detail=f"the graph holds {edge.id!r}")
