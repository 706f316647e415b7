"""One hop for a batch of questions: facts, checks, wordings, checks, draw.

Each step is taken for all questions, so that the graph and a model are asked in bulk; what can be said of a question
alone is said as soon as its facts are there, while others are waited for.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.batches import first_questions
from kbe_graph.evolve.considered import Considered, Group, decide_left
from kbe_graph.evolve.exploration import Exploration, Fate, options
from kbe_graph.evolve.expression import Expression
from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.recipe import Opinion, Recipe, Refuse
from kbe_graph.models.loop import gather_all
from kbe_graph.question import parse_questions
from kbe_graph.store import Store
from kbe_graph.types import KEEP, Candidate, Decision, Question, Sample, SampleGraph

ConceptOf = Callable[[Sample, SampleGraph, Question], str]
"""Gives the concept of a question's answer, or the empty string."""


class _Before(NamedTuple):
    """The questions before a hop, sorted by sample, with their samples and the graphs of these, by id."""

    parents: Sequence[Question]
    samples: Mapping[str, Sample]
    graphs: Mapping[str, SampleGraph]


class Proposed(NamedTuple):
    """A question before a hop with what a knowledge source tells of its answer, or ``none``, why it tells nothing."""

    parent: Question
    group: Group
    none: str


async def at_once(_samples: Sequence[str]) -> None:
    """Wait for nothing."""


@dataclass(frozen=True, slots=True)
class Hop:
    """Finds what the questions before a hop could become; ``refuse`` tells what a second model said of one.

    ``saved`` waits until the questions of samples are in the graph.
    """

    store: Store
    plan: Plan
    recipe: Recipe
    concept_of: ConceptOf
    refuse: Refuse = lambda _: KEEP
    saved: Callable[[Sequence[str]], Awaitable[None]] = at_once

    def _read(self, hop: int, ids: Sequence[str]) -> _Before:
        """Read from the graph what stands before the hop."""
        samples = {sample.id: sample for sample in self.store.samples(ids=ids)}
        return _Before(self._parents(hop, ids), samples, self.store.graphs(ids))

    async def propose(self, hop: int, ids: Sequence[str]) -> list[Proposed]:
        """Return what the facts of samples are before the hop, in the order of the samples; raises ReplyAwaited."""
        await self.saved(ids)
        before = await asyncio.to_thread(self._read, hop, ids)
        if self.recipe.parses:
            first = (parent for parent in before.parents if parent.starts_from(before.graphs[parent.sample].key))
            parse_questions(before.samples[parent.sample].question for parent in first)
        return await gather_all(
            self._proposal(before.samples[parent.sample], before.graphs[parent.sample], parent)
            for parent in before.parents
        )

    async def explore(self, proposed: Sequence[Proposed]) -> list[Exploration]:
        """Return what the questions before the hop could become, in their order; raises ReplyAwaited."""
        groups = await decide_left([each.group for each in proposed], self._without_cycles)
        groups = await self._with_opinions(groups)
        return await gather_all(self._exploration(each, group) for each, group in zip(proposed, groups, strict=True))

    def _parents(self, hop: int, ids: Sequence[str]) -> list[Question]:
        """Return the kept questions before the hop."""
        run = self.plan.run.name
        first = hop == 1
        parents = (
            first_questions(self.store, run, ids) if first else self.store.questions(run=run, hop=hop - 1, samples=ids)
        )
        return sorted(parents, key=lambda question: question.sample)

    def _with_concept(self, sample: Sample, graph: SampleGraph, parent: Question) -> Question:
        return parent if parent.concept else with_concept(parent, self.concept_of(sample, graph, parent))

    async def _proposal(self, sample: Sample, graph: SampleGraph, parent: Question) -> Proposed:
        parent = self._with_concept(sample, graph, parent)
        try:
            facts, none = await self.recipe.knowledge.candidates(sample, parent), ""
        except NoCandidate as error:
            facts, none = (), error.reason
        group = tuple(self._checked(Candidate(sample, graph, parent, fact)) for fact in facts)
        return Proposed(parent, group, none)

    def _checked(self, candidate: Candidate) -> Considered:
        return Considered(candidate, self.recipe.checks.decide("fact", candidate))

    async def _without_cycles(self, candidates: Sequence[Candidate]) -> Sequence[Decision]:
        cycle = self.recipe.checks.cycle
        if cycle is None:
            return [KEEP] * len(candidates)
        return await asyncio.to_thread(cycle.decide_in_graph, candidates, self.store.cycles)

    async def _with_opinions(self, groups: list[Group]) -> list[Group]:
        """Ask the opinion question by question, then the second opinion of all that is left, in the samples' order."""
        opinion, second = self.recipe.opinion, self.recipe.second_opinion
        if opinion:
            groups = await gather_all(_ask(group, opinion) for group in groups)
        return await decide_left(groups, second) if second else groups

    async def _exploration(self, proposed: Proposed, group: Group) -> Exploration:
        expression = Expression(self.recipe, self.plan.run.name)
        plan = self.plan
        ahead = plan.scope.hops - proposed.parent.hop - 1
        worded = await options(
            group, expression, run_seed=plan.run.seed, most=plan.options, ahead=ahead, refuse=self.refuse
        )
        fates = (
            Fate(each.candidate.fact, each.decision, self.recipe.checks.is_faulty(each.candidate))
            for each in worded.group
        )
        return Exploration(proposed.parent, tuple(fates), worded.options, proposed.none, worded.refusal)


async def _ask(group: Group, opinion: Opinion) -> Group:
    (group,) = await decide_left([group], opinion)
    return group


def with_concept(question: Question, concept: str) -> Question:
    """Return the question with its answer linked to a concept, which the end of its key path carries on."""
    *path, last = question.key
    return replace(question, concept=concept, key=(*path, replace(last, object=replace(last.object, concept=concept))))
