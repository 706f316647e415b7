"""What could follow a candidate, as far as facts and their checks tell."""

from dataclasses import dataclass, replace

from kbe_graph.checks import Checks
from kbe_graph.checks.assignment import NOTHING, Following, Onward
from kbe_graph.facts.pack import Pack
from kbe_graph.text import fold
from kbe_graph.types import Candidate

_FAR = 2  # hops


@dataclass(frozen=True, slots=True)
class Outlook:
    """Looks ahead from candidates over a pack, with the checks of a run that read facts and relations.

    The words of the hops to come are not known yet, so the question before stands for them.
    """

    checks: Checks
    pack: Pack

    def __call__(self, candidate: Candidate, hops: int = _FAR) -> Onward:
        """Return what could follow the candidate's own hop, at most ``hops`` of them."""
        if hops == 0:
            return NOTHING
        fact, parent = candidate.fact, candidate.question
        key = (*parent.key, fact.triplet(parent.end))
        question = replace(parent, hop=parent.hop + 1, answer=fact.object, concept=fact.object_id, key=key)
        facts = (replace(candidate, question=question, fact=fact) for fact in self.pack.facts_about(fact.object_id))
        questions = tuple(
            Following(each.fact.relation, fold(each.fact.object), self(each, hops - 1).hops)
            for each in facts
            if self._may_follow(each)
        )
        return Onward(max((1 + each.hops for each in questions), default=0), questions)

    def _may_follow(self, candidate: Candidate) -> bool:
        return self.checks.decide("fact", candidate).keep and self.checks.decide("relations", candidate).keep
