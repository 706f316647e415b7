"""What a model proposes can be held against known facts: it may be told otherwise there, or not told at all."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import Columns, Row
from kbe_graph.facts.grounding import Demand
from kbe_graph.facts.proposed import ProposedFact
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Contradicted:
    """Refuses a proposed fact where known facts give another object; those that are known have no label and pass."""

    name = "contradicted"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "the known facts must not give another object than the one that a model proposes"
    columns: Columns = ()
    refused = Row("What flag is that?", "japan", "japan", "has capital", "Kyoto")
    passed = Row("What flag is that?", "japan", "japan", "has capital", "Tokyo")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the label of the fact."""
        return _by_label(candidate, self.name)


class Unsupported:
    """Refuses a proposed fact of which nothing is known."""

    name = "unsupported"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "the known facts must tell what a model proposes (--ground require)"
    columns: Columns = ()
    refused = Row("What flag is that?", "japan", "japan", "has national anthem sung at", "stadium")
    passed = Contradicted.passed

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the label of the fact."""
        return _by_label(candidate, self.name)


def grounding_checks(demand: Demand) -> tuple[Contradicted | Unsupported, ...]:
    """Return the checks for what is demanded: all but grounded facts refused, contradicted ones alone, or none."""
    checks = {"require": (Contradicted(), Unsupported()), "prefer": (Contradicted(),), "report": ()}
    return checks[demand]


def _by_label(candidate: Candidate, label: str) -> Decision:
    fact = candidate.fact
    proposed = isinstance(fact, ProposedFact) and fact.grounding == label
    return Decision(keep=False, reason=label) if proposed else KEEP
