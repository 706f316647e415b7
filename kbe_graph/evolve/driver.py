"""The driver: re-selection, then one wave a hop, each wave asked of the graph and written back to it.

What is left to do is what the graph does not hold yet, and every outcome depends on the run's settings alone, so a run
that was killed ends, when it is run again, in the same graph as one that was left alone. A wave looks at all questions
of the hop before, because the share of one final answer (``concentration``) is a property of the whole run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from kbe_graph.checks.concentration import Choices, assign
from kbe_graph.evolve.batches import ask_in_batches, batches, read_ahead, sample_ids, saving_behind
from kbe_graph.evolve.claim import claim
from kbe_graph.evolve.explorations import Explorations, open_explorations
from kbe_graph.evolve.hop import Before, ConceptOf, Hop
from kbe_graph.evolve.outcome import outcome
from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.recipe import Recipe
from kbe_graph.evolve.remaining import done_samples
from kbe_graph.evolve.reselection import reselection
from kbe_graph.models import loop
from kbe_graph.store import Evolved, Store
from kbe_graph.types import RAW, Progress


@dataclass(frozen=True, slots=True)
class Driver:
    """Runs a plan on a store.

    ``concept_of`` gives the concept of an answer or the empty string.
    """

    store: Store
    plan: Plan
    recipe: Recipe
    concept_of: ConceptOf
    progress: Progress = lambda *_: None

    def evolve(self) -> None:
        """Run the plan to its end, or on from where it stopped; raises ConfigError where the run has other settings."""
        loop.run(self.run())

    async def run(self) -> None:
        """Do what ``evolve`` does, within one event loop, as connections to a model live in one."""
        claim(self.store, self.plan.run)
        scope = self.plan.scope
        samples = set(filter(self.plan.holds, sample_ids(self.store, scope)))
        others = self.store.question_samples(run=RAW, hop=0, noun=False)
        self._reselect([sample for sample in others if sample in samples])
        for hop in range(1, scope.hops + 1):
            await self._explore(hop, [sample for sample in self._parents(hop) if sample in samples])

    def _reselect(self, samples: Sequence[str]) -> None:
        done = set(self.store.question_samples(run=self.plan.run.name, hop=0, status=None))
        todo = [sample for sample in samples if sample not in done]
        self.progress("re-selection", 0, len(todo))
        with saving_behind(self.store.save_questions) as save:
            for count, reselections in read_ahead(batches(todo, self.plan.batch), self._reselections):
                save(reselections)
                self.progress("re-selection", count, len(todo))

    def _reselections(self, ids: Sequence[str]) -> list[Evolved]:
        run, scope = self.plan.run, self.plan.scope
        paths = self.store.reselect(ids, seed=run.seed, max_length=scope.max_length, timeout=scope.timeout)
        graphs = self.store.graphs(ids)
        return [
            Evolved(reselection(sample, graphs[sample.id], paths.get(sample.id), run=run.name, seed=run.seed))
            for sample in self.store.samples(ids=ids)
        ]

    def _parents(self, hop: int) -> list[str]:
        """Return the samples with a question to go on from: one of the hop before, or their own with a noun answer."""
        before = self.store.question_samples(run=self.plan.run.name, hop=hop - 1)
        return sorted({*before, *self.store.question_samples(run=RAW, hop=0, noun=True)}) if hop == 1 else before

    async def _explore(self, hop: int, parents: Sequence[str]) -> None:
        done = done_samples(self.store, self.plan.run.name, hop)
        if done.issuperset(parents):
            return
        with open_explorations() as explorations:
            await self._fill(explorations, hop, parents)
            chosen = self._assigned(hop, explorations.answers)
            with saving_behind(self.store.save_questions) as save:
                for batch in explorations.batches():
                    new = [exploration for exploration in batch if exploration.parent.sample not in done]
                    save([outcome(each, self.plan, hop, chosen.get(each.parent.sample)) for each in new])

    async def _fill(self, explorations: Explorations, hop: int, parents: Sequence[str]) -> None:
        """Explore from all parents."""
        way = Hop(self.store, self.plan, self.recipe, self.concept_of)
        before = read_ahead(batches(parents, self.plan.batch), partial(way.read, hop))

        async def explore(batch: Before) -> None:
            explorations.add(await way.explore(batch))

        await ask_in_batches(before, explore, total=len(parents), stage=f"hop {hop}", progress=self.progress)

    def _assigned(self, hop: int, choices: Choices) -> dict[str, int | None]:
        plan = self.plan
        used = self.store.answers(run=plan.run.name, before=hop)
        return assign(choices, used=used, total_before=sum(used.values()), share=plan.share, floor=plan.floor)
