"""A question has one right answer: the key path, run again over all facts, leads to no other."""

from functools import lru_cache

from kbe_graph.checks.chain import Chain, chain_with_fact, first_sense
from kbe_graph.checks.check import Reads
from kbe_graph.checks.needed import HopNotNeeded, right_names
from kbe_graph.checks.row import FACT
from kbe_graph.facts.walk import Walk
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class SeveralAnswers:
    """Refuses a question whose key path leads to something else as well, or not to its answer.

    The first answer may be something else, too, where the benchmark's own people disagree (pigeon, dove): if the facts
    part their ways there, the question has several answers.
    """

    name = "several answers"
    stage: Stage = "question"
    reads: Reads = "question"
    rule = "the key path, run again over all facts, must lead to the answer alone, from each answer that people gave"
    columns = FACT
    refused = HopNotNeeded.passed._replace(relation="continent", object="Asia")
    passed = HopNotNeeded.passed

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def decide(self, candidate: Candidate) -> Decision:
        """Follow the relations of the chain from its first answer, and from the others that the benchmark accepts."""
        right, links = right_names(candidate, self._walk), chain_with_fact(candidate)
        right |= self._walk.names(links.concepts[-1])
        wrong = [
            self._walk.label(end) for end in self._ends(links, _others(candidate)) if not right & self._walk.names(end)
        ]
        if wrong or not self._walk.follow(links.concepts[0], links.relations):
            names = ", ".join(dict.fromkeys(wrong)) or "nothing"
            return Decision(keep=False, reason=self.name, detail=f"the facts lead to {names}")
        return KEEP

    @lru_cache(1 << 13)  # noqa: B019 - lives as long as its run
    def _ends(self, links: Chain, others: tuple[str, ...]) -> tuple[str, ...]:
        starts = (links.concepts[0], *others)
        return tuple(end for start in starts for end in self._walk.follow(start, links.relations))


def _others(candidate: Candidate) -> tuple[str, ...]:
    """Return the concepts of the other answers that the benchmark accepts to its own question."""
    question = candidate.question
    names = question.aliases if question.kind == "raw" else ()
    return tuple(concept for name in names if (concept := first_sense(name)))
