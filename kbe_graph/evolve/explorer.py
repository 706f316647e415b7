"""One hop for a batch of questions: each step is taken for all of them, so that the graph and a model are asked in bulk."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.exploration import Exploration, Steps, asked, judge, options
from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.samples import first_questions
from kbe_graph.steps.gathering import gathered
from kbe_graph.store import CycleRow, Store
from kbe_graph.text import fold
from kbe_graph.types import Candidate, Decision, Fact, Question, Sample, SampleGraph

Link = Callable[[Sample, SampleGraph, Question], str]
CYCLE = Decision(keep=False, reason="cycle")


class _Proposed(NamedTuple):
    facts: Sequence[Fact]
    none: str = ""


@dataclass(frozen=True, slots=True)
class Explorer:
    """Finds what questions could become; ``link`` gives the concept of an answer or the empty string."""

    store: Store
    plan: Plan
    steps: Steps
    link: Link

    async def explored(self, hop: int, ids: Sequence[str]) -> list[Exploration]:
        """Return what the questions before the hop could become, in the order of their samples; raises ReplyAwaited."""
        parents = self._parents(hop, ids)
        graphs = self.store.graphs(ids)
        samples = {sample.id: sample for sample in self.store.samples(ids=ids)}
        linked = [self._linked(samples[parent.sample], graphs[parent.sample], parent) for parent in parents]
        proposed = await gathered(self._proposed(samples[parent.sample], parent) for parent in linked)
        candidates = [
            [Candidate(samples[parent.sample], graphs[parent.sample], parent, fact) for fact in one.facts]
            for parent, one in zip(linked, proposed, strict=True)
        ]
        decisions = [judge(some, self.steps.filters, stage="fact") for some in candidates]
        self._break_cycles(candidates, decisions)
        await self._asked(candidates, decisions)
        found = await gathered(
            self._explored(parent, some, decided)
            for parent, some, decided in zip(linked, candidates, decisions, strict=True)
        )
        return [replace(exploration, none=one.none) for exploration, one in zip(found, proposed, strict=True)]

    def _parents(self, hop: int, ids: Sequence[str]) -> list[Question]:
        """Return the kept questions before the hop."""
        run = self.plan.run.name
        found = (
            first_questions(self.store, run, ids)
            if hop == 1
            else self.store.questions(run=run, hop=hop - 1, samples=ids)
        )
        return sorted(found, key=lambda question: question.sample)

    def _linked(self, sample: Sample, graph: SampleGraph, parent: Question) -> Question:
        return parent if parent.concept else with_concept(parent, self.link(sample, graph, parent))

    async def _proposed(self, sample: Sample, parent: Question) -> _Proposed:
        try:
            return _Proposed(await self.steps.knowledge.candidates(sample, parent))
        except NoCandidate as none:
            return _Proposed((), none.reason)

    async def _asked(self, candidates: list[list[Candidate]], decisions: list[list[Decision]]) -> None:
        """Ask the opinion question by question, then the second opinion of all that is left, in the order of the samples."""
        await gathered(
            asked(some, decided, self.steps.opinion) for some, decided in zip(candidates, decisions, strict=True)
        )
        flat = [decision for decided in decisions for decision in decided]
        await asked([one for some in candidates for one in some], flat, self.steps.verify)
        verified = iter(flat)
        for decided in decisions:
            decided[:] = [next(verified) for _ in decided]

    def _break_cycles(self, candidates: list[list[Candidate]], decisions: list[list[Decision]]) -> None:
        places = [
            (outer, inner)
            for outer, some in enumerate(decisions)
            for inner, decision in enumerate(some)
            if decision.keep
        ]
        asked = [
            CycleRow(one.question.id, one.sample.id, fold(one.fact.object))
            for one in (candidates[outer][inner] for outer, inner in places)
        ]
        for (outer, inner), cycles in zip(places, self.store.cycles(asked), strict=True):
            if cycles:
                decisions[outer][inner] = CYCLE

    async def _explored(self, parent: Question, some: Sequence[Candidate], decided: list[Decision]) -> Exploration:
        found = await options(some, decided, self.steps, run_seed=self.plan.run.seed, most=self.plan.options)
        faulty = tuple(self.steps.faulty(one) for one in some)
        return Exploration(parent, tuple(one.fact for one in some), tuple(decided), faulty, found)


def with_concept(question: Question, concept: str) -> Question:
    """Return the question with its answer linked to a concept, which the end of its key path carries on."""
    *path, last = question.key
    return replace(question, concept=concept, key=(*path, replace(last, object=replace(last.object, concept=concept))))
