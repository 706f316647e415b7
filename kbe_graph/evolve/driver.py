"""Driver of a run: re-selection, then one wave per hop, each read from the graph and written back to it.

Only outcomes missing from the graph are computed, and each depends only on the run's settings, so an interrupted run
ends in the same graph as an uninterrupted one when it is repeated. A wave covers all questions of the previous hop,
because the share of a chain or an answer (``guessable``) is a property of the whole hop.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from functools import partial

from kbe_graph.checks.guessable import Choice
from kbe_graph.evolve.blind_test import guess_raw
from kbe_graph.evolve.exploration import Exploration
from kbe_graph.evolve.hop import Explore
from kbe_graph.evolve.manifest import claim
from kbe_graph.evolve.plan import done_samples, sample_ids, samples_to_explore, samples_to_reselect
from kbe_graph.evolve.recipe import Evolution
from kbe_graph.evolve.reselection import reselect, share_out
from kbe_graph.evolve.saving import Explorations, SavedHop, loads, open_explorations, outcome
from kbe_graph.evolve.second_look import Inspections, SecondLook, read_inspections
from kbe_graph.execute.executor import Executor, batches
from kbe_graph.review.consequences import stopped_samples
from kbe_graph.store import Evolved


@dataclass(frozen=True, slots=True)
class Driver:
    """Driver of a run; the ``executor`` selects processes and clients, which does not affect the outcome."""

    evolution: Evolution
    executor: Executor

    async def evolve(self) -> None:
        """Run or resume the plan; raises ConfigError if the run has other settings."""
        store, plan = self.evolution.store, self.evolution.plan
        claim(store, plan.run)
        ids = sample_ids(store, plan.scope)
        samples = set(ids)
        await self._guess_raw(ids)
        async with AsyncExitStack() as written:
            to_reselect = [sample for sample in samples_to_reselect(store, plan.scope) if sample in samples]
            before = await written.enter_async_context(await self._reselect(to_reselect))
            for hop in range(1, plan.scope.hops + 1):
                parents = samples & (before.kept | samples_to_explore(store, plan.run.name, hop))
                parents -= stopped_samples(store, plan.run.name, hop)
                before = await written.enter_async_context(await self._explore(hop, sorted(parents), before))

    async def _guess_raw(self, samples: Sequence[str]) -> None:
        if self.evolution.recipe.blind_test is None:
            return
        store, run = self.evolution.store, self.evolution.run

        async def take(content: bytes) -> None:
            await asyncio.to_thread(store.save_guesses, run, loads(content))

        await self.executor.map(guess_raw(self.evolution), samples, take)

    async def _reselect(self, samples: Sequence[str]) -> SavedHop:
        reselected: dict[str, Evolved] = {}

        async def take(content: bytes) -> None:
            reselected.update((each.question.id, each) for each in loads(content))

        async def decide() -> SavedHop:
            return self._save_reselected(reselected)

        is_over = partial(self._is_done, 0, samples)
        saved = await self.executor.reduce(reselect(self.evolution), samples, take, decide, is_over=is_over)
        return saved or SavedHop(self.evolution.store)

    def _save_reselected(self, reselected: Mapping[str, Evolved]) -> SavedHop:
        store, plan = self.evolution.store, self.evolution.plan
        done = done_samples(store, plan, 0)
        questions = share_out([each.question for each in reselected.values()], plan.shares)
        missing = [question for question in questions if question.sample not in done]
        new = [reselected[question.id]._replace(question=question) for question in missing]
        kept = [question.sample for question in missing if question.status == "kept"]
        return SavedHop(store, (batch for _, batch in batches(new, plan.batch)), kept)

    async def _explore(self, hop: int, parents: Sequence[str], before: SavedHop) -> SavedHop:
        if self.evolution.recipe.second_opinion:
            await before.all()  # its verdicts on facts apply to this hop, too
        inspections = read_inspections(self.evolution, hop)
        stage = Explore(self.evolution, hop, inspections.refusal, before.of)
        with ExitStack() as opened:
            explorations = opened.enter_context(open_explorations())

            async def explore_again(refused: Sequence[str]) -> None:
                await Executor(self.executor.progress).map(stage, refused, explorations.add)

            async def decide() -> SavedHop:
                await before.all()
                progress = self.executor.progress
                look = SecondLook(self.evolution, explorations, inspections, explore_again, stage.name, progress)
                chosen = await look.choose()
                return self._save_chosen(hop, explorations, chosen, inspections, opened.pop_all())

            is_over = partial(self._is_done, hop, parents)
            saved = await self.executor.reduce(stage, parents, explorations.add, decide, is_over=is_over)
        return saved or SavedHop(self.evolution.store)

    def _save_chosen(
        self,
        hop: int,
        explorations: Explorations,
        chosen: Mapping[str, Choice],
        inspections: Inspections,
        opened: ExitStack,
    ) -> SavedHop:
        store, plan = self.evolution.store, self.evolution.plan
        done = done_samples(store, plan, hop)

        def outcomes(batch: Sequence[Exploration]) -> list[Evolved]:
            new = [exploration for exploration in batch if exploration.parent.sample not in done]
            evolved = [outcome(each, plan, hop, chosen.get(each.parent.sample)) for each in new]
            return [each._replace(inspections=inspections.of(each.question.id)) for each in evolved]

        served = {sample for sample, choice in chosen.items() if isinstance(choice, int)}
        return SavedHop(store, map(outcomes, explorations.batches()), served - done, opened)

    def _is_done(self, hop: int, samples: Sequence[str]) -> bool:
        store, plan = self.evolution.store, self.evolution.plan
        return done_samples(store, plan, hop).issuperset(samples) or any(
            run.name == plan.run.name and run.state == "complete" for run in store.runs()
        )
