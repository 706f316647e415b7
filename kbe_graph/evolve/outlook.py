"""How far a candidate leads on: how many hops could follow it, as far as facts and their checks tell."""

from dataclasses import dataclass, replace

from kbe_graph.checks import Checks
from kbe_graph.facts.pack import Pack
from kbe_graph.types import Candidate

_FAR = 2  # hops


@dataclass(frozen=True, slots=True)
class Outlook:
    """Looks ahead from candidates over a pack, with the checks of a run that read facts and relations.

    The words of the hops to come are not known yet, so the question before stands for them.
    """

    checks: Checks
    pack: Pack

    def __call__(self, candidate: Candidate, hops: int = _FAR) -> int:
        """Return how many hops could follow the candidate's own, at most ``hops``."""
        if hops == 0:
            return 0
        fact, parent = candidate.fact, candidate.question
        key = (*parent.key, fact.triplet(parent.end))
        question = replace(parent, hop=parent.hop + 1, answer=fact.object, concept=fact.object_id, key=key)
        longest = 0
        for onward in self.pack.facts_about(fact.object_id):
            following = replace(candidate, question=question, fact=onward)
            if self._may_follow(following):
                longest = max(longest, 1 + self(following, hops - 1))
            if longest == hops:
                break
        return longest

    def _may_follow(self, candidate: Candidate) -> bool:
        return self.checks.decide("fact", candidate).keep and self.checks.decide("relations", candidate).keep
