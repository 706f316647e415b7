"""How far a chain could go on from a candidate, as far as facts and their checks tell."""

from dataclasses import dataclass, replace

from kbe_graph.checks import Checks
from kbe_graph.facts.pack import Pack
from kbe_graph.types import Candidate

_FAR = 2  # hops that are looked at: of more, few chains are told apart, and it takes long


@dataclass(frozen=True, slots=True)
class Outlook:
    """Looks ahead from candidates over a pack, with the checks of a run that read facts.

    The words of the hops to come are not known yet, so the question before stands for them.
    """

    checks: Checks
    pack: Pack

    def __call__(self, candidate: Candidate, hops: int) -> int:
        """Return how many hops could follow the candidate's own, at most ``hops``."""
        hops = min(hops, _FAR)
        if hops <= 0:
            return 0
        fact, parent = candidate.fact, candidate.question
        key = (*parent.key, fact.triplet(parent.end))
        question = replace(parent, hop=parent.hop + 1, answer=fact.object, concept=fact.object_id, key=key)
        facts = (replace(candidate, question=question, fact=fact) for fact in self.pack.facts_about(fact.object_id))
        return max((1 + self(each, hops - 1) for each in facts if self._may_follow(each)), default=0)

    def _may_follow(self, candidate: Candidate) -> bool:
        return self.checks.decide("fact", candidate).keep
