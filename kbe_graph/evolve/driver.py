"""The driver: re-selection, then one wave a hop, each wave asked of the graph and written back to it.

What is left to do is what the graph does not hold yet, and every outcome depends on the run's settings alone, so a run
that was killed ends, when it is run again, in the same graph as one that was left alone. A wave looks at all questions
of the hop before, because the share of a chain or an answer (``guessable``) is a property of the whole hop.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from kbe_graph.checks.guessable import Choice, choose
from kbe_graph.errors import PartsAwaited
from kbe_graph.evolve.batches import ask_in_batches, batches, sample_ids
from kbe_graph.evolve.claim import claim
from kbe_graph.evolve.exploration import Exploration
from kbe_graph.evolve.explorations import Explorations, Packed, open_explorations
from kbe_graph.evolve.explore_workers import explore_apart, reselect_apart
from kbe_graph.evolve.hop import ConceptOf, Hop, Proposed
from kbe_graph.evolve.inspections import Inspections, Words
from kbe_graph.evolve.outcome import outcome
from kbe_graph.evolve.own_guesses import GUESSED_FROM
from kbe_graph.evolve.part_content import dumps, loads
from kbe_graph.evolve.parts import LANES, Parts
from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.recipe import Recipe, Refuse
from kbe_graph.evolve.remaining import done_samples
from kbe_graph.evolve.reselection import Path, asked_reselection, reselection, share_out, word_path
from kbe_graph.evolve.saving import SavedHop
from kbe_graph.evolve.workers import AHEAD, Workers
from kbe_graph.guess import guessers
from kbe_graph.models import loop
from kbe_graph.models.loop import gather_all
from kbe_graph.models.shard import shard_index
from kbe_graph.steps.inspector import Inspectable
from kbe_graph.store import Evolved, Store
from kbe_graph.types import KEEP, RAW, Progress, Question, Sample, SampleGraph


class _Searched(NamedTuple):
    """A sample to re-select, with the paths of its graph, longest first; None where their search took too long."""

    sample: Sample
    graph: SampleGraph
    paths: Sequence[Path] | None


@dataclass(frozen=True, slots=True)
class Driver:
    """Runs a plan on a store.

    ``concept_of`` gives the concept of an answer or the empty string. ``workers`` explore, where there are any, else
    this process does. Where there are ``parts``, samples are explored together with other clients, each with its own
    workers; what depends on all samples is decided by one client, when all are explored.
    """

    store: Store
    plan: Plan
    recipe: Recipe
    concept_of: ConceptOf
    progress: Progress = lambda *_: None
    workers: Workers | None = None
    parts: Parts | None = None

    def evolve(self) -> None:
        """Run the plan to its end, or on from where it stopped; raises ConfigError where the run has other settings."""
        loop.run(self.run())

    async def run(self) -> None:
        """Do what ``evolve`` does, within one event loop, as connections to a model live in one."""
        claim(self.store, self.plan.run)
        scope = self.plan.scope
        ids = sample_ids(self.store, scope)
        samples = set(ids)
        others = self.store.question_samples(run=RAW, hop=0, noun=None if scope.reselect == "all" else False)
        async with AsyncExitStack() as written:
            before = await written.enter_async_context(
                await self._reselect([sample for sample in others if sample in samples])
            )
            for hop in range(1, scope.hops + 1):
                parents = [sample for sample in self._parents(hop, before) if sample in samples]
                before = await written.enter_async_context(await self._explore(hop, parents, before))
                if len(ids) >= GUESSED_FROM:
                    guessers.get_ready()  # the run ends with them, and a core is idle while a hop is written

    async def _reselect(self, samples: Sequence[str]) -> SavedHop:
        if self._is_done(0, samples):
            return SavedHop(self.store)
        if self.parts is None:
            return self._save_reselected(await self._all_reselections(samples))
        stage, is_over = "re-selection", partial(self._is_done, 0, samples)
        size, parts = self.plan.batch, self.parts

        async def reselect(batch: Sequence[str]) -> bytes:
            """Return the re-selected questions of a batch of samples as bytes, for all clients to read."""
            if self.workers:
                return await reselect_apart(self.workers, batch)
            return dumps(await self.reselections(batch))

        lanes = AHEAD * self.workers.number if self.workers else LANES
        shared = await parts.share(
            stage, samples, reselect, size=size, is_over=is_over, lanes=lanes, progress=self.progress
        )

        async def decide() -> None:
            """Save what came of all parts, and take their bytes out of the graph."""
            reselected = [each for part in shared for each in loads(parts.content(part))]
            await self._save_reselected(reselected).all()
            parts.forget_contents(stage)

        self._require_extracted(parts)
        await parts.once(f"{stage}, choice", samples, decide, is_over=is_over)
        return SavedHop(self.store)

    def _require_extracted(self, parts: Parts) -> None:
        """Raise PartsAwaited where samples of other shards have no graph yet, as those of workspaces made apart."""
        own = parts.shard
        if own is None:
            return
        others = [sample for sample in self.store.sample_ids(status="loaded") if not own.holds(sample)]
        if others:
            numbers = sorted({shard_index(sample, own.count) + 1 for sample in others})
            raise PartsAwaited([f"{number}/{own.count}" for number in numbers])

    def _is_done(self, hop: int, samples: Sequence[str]) -> bool:
        return done_samples(self.store, self.plan, hop).issuperset(samples)

    async def _all_reselections(self, samples: Sequence[str]) -> list[Evolved]:
        """Do what ``reselections`` does by the workers, where there are any."""
        if not self.workers:
            return await self.reselections(samples, self.progress)
        reselected: list[Evolved] = []

        async def keep(packed: bytes) -> None:
            """Unpack what a worker sent."""
            reselected.extend(loads(packed))

        await ask_in_batches(
            batches(samples, self.plan.batch),
            partial(reselect_apart, self.workers),
            keep,
            ahead=AHEAD * self.workers.number,
            total=len(samples),
            stage="re-selection",
            progress=self.progress,
        )
        return reselected

    async def reselections(self, samples: Sequence[str], progress: Progress = lambda *_: None) -> list[Evolved]:
        """Return the questions of samples, with what a second model said of them."""
        inspections = self._inspections(0)
        questions: list[Question] = []

        async def ask(batch: Sequence[_Searched]) -> None:
            """Re-select one batch of searched samples."""
            questions.extend(await self._reselect_batch(batch, inspections))

        await ask_in_batches(
            batches(samples, self.plan.batch),
            lambda ids: asyncio.to_thread(self._search, ids),
            ask,
            total=len(samples),
            stage="re-selection",
            progress=progress,
        )
        return [Evolved(question, inspections=inspections.of(question.id)) for question in questions]

    def _save_reselected(self, reselected: Sequence[Evolved]) -> SavedHop:
        """Share the answers out, and begin to save what is not there."""
        done = done_samples(self.store, self.plan, 0)
        inspections = {each.question.id: each.inspections for each in reselected}
        questions = share_out([each.question for each in reselected], self.plan.shares)
        new = [
            Evolved(question, inspections=inspections[question.id])
            for question in questions
            if question.sample not in done
        ]
        kept = [each.question.sample for each in new if each.question.status == "kept"]
        return SavedHop(self.store, (part for _, part in batches(new, self.plan.batch)), kept)

    async def _reselect_batch(self, batch: Sequence[_Searched], inspections: Inspections) -> list[Question]:
        """Return the questions of a batch, none of them refused by a second model."""
        questions: dict[str, Question] = {}
        todo = batch
        while todo:
            again = await gather_all(self._reselect_one(searched, inspections.refusal) for searched in todo)
            questions |= {question.sample: question for question in again}
            samples = {searched.sample.id: searched.sample for searched in todo}
            kept = [Inspectable(samples[question.sample], question) for question in again if question.status == "kept"]
            refused = await inspections.inspect(kept)
            todo = [searched for searched in todo if searched.sample.id in refused]
        return list(questions.values())

    def _search(self, ids: Sequence[str]) -> list[_Searched]:
        scope, seed = self.plan.scope, self.plan.run.seed
        graphs = self.store.graphs(ids)
        paths = self.store.reselect(graphs, seed=seed, max_length=scope.max_length, timeout=scope.timeout)
        return [_Searched(sample, graphs[sample.id], paths.get(sample.id)) for sample in self.store.samples(ids=ids)]

    async def _reselect_one(self, searched: _Searched, refuse: Refuse) -> Question:
        run, reselector = self.plan.run, self.recipe.reselector
        asks, seed = self.plan.choice.asks, run.seed
        word = partial(word_path, asks=asks)
        if reselector is None:
            return reselection(*searched, run=run.name, seed=seed, word=word, refuse=refuse, asks=asks)
        return await asked_reselection(
            *searched, reselector, run=run.name, seed=seed, word=word, refuse=refuse, asks=asks
        )

    def way(self, refuse: Refuse = lambda _: KEEP) -> Hop:
        """Return what finds the questions of a hop; ``refuse`` tells what a second model said of one."""
        return Hop(self.store, self.plan, self.recipe, self.concept_of, refuse)

    async def explorations(self, hop: int, ids: Sequence[str]) -> list[Exploration]:
        """Return what the samples of these ids could become in a hop."""
        way = self.way(self._inspections(hop).refusal)
        return await way.explore(await way.propose(hop, ids))

    def _parents(self, hop: int, before: SavedHop) -> list[str]:
        """Return the samples with a question to go on from: one of the hop before, or their own with a noun answer."""
        run = self.plan.run.name
        if hop > 1:
            return sorted({*before.kept, *self.store.question_samples(run=run, hop=hop - 1)})
        asked = (self.store.question_samples(run=name, hop=0, noun=True) for name in (RAW, run))
        return sorted(before.kept.union(*asked))

    async def _explore(self, hop: int, parents: Sequence[str], before: SavedHop) -> SavedHop:
        if self.recipe.second_opinion:
            await before.all()  # what was said of its facts holds for those of this hop
        if self._is_done(hop, parents):
            return SavedHop(self.store)
        inspections = self._inspections(hop)
        way = replace(self.way(inspections.refusal), saved=before.of)
        if self.parts is None:
            with ExitStack() as opened:
                explorations = opened.enter_context(open_explorations())
                await self._fill(explorations, way, hop, parents, self.workers)
                await before.all()
                chosen = await self._choose(explorations, way, hop, inspections)
                return self._save_chosen(explorations, hop, chosen, inspections, opened.pop_all())
        stage, is_over = f"hop {hop}", partial(self._is_done, hop, parents)
        size, parts = self.plan.batch, self.parts

        async def explore(batch: Sequence[str]) -> bytes:
            """Return what exploring from a batch of parents came to as bytes, for all clients to read."""
            if self.workers:
                return (await explore_apart(self.workers, hop, batch)).content
            return dumps(await way.explore(await way.propose(hop, batch)))

        lanes = AHEAD * self.workers.number if self.workers else LANES
        shared = await parts.share(
            stage, parents, explore, size=size, is_over=is_over, lanes=lanes, progress=self.progress
        )

        async def decide() -> None:
            """Choose among the explorations of all parts, save the chosen, and take the bytes out of the graph."""
            with open_explorations() as explorations:
                for part in shared:
                    explorations.add(loads(parts.content(part)))
                chosen = await self._choose(explorations, way, hop, inspections)
                await self._save_chosen(explorations, hop, chosen, inspections).all()
            parts.forget_contents(stage)

        self._require_extracted(parts)
        await parts.once(f"{stage}, choice", parents, decide, is_over=is_over)
        return SavedHop(self.store)

    def _save_chosen(
        self,
        explorations: Explorations,
        hop: int,
        chosen: Mapping[str, Choice],
        inspections: Inspections,
        opened: ExitStack | None = None,
    ) -> SavedHop:
        """Begin to save what each sample got, where it is not there; ``opened`` is closed at the end."""
        done = done_samples(self.store, self.plan, hop)

        def outcomes(batch: Sequence[Exploration]) -> list[Evolved]:
            """Return what is saved of a batch."""
            new = [exploration for exploration in batch if exploration.parent.sample not in done]
            return [outcome(each, self.plan, hop, chosen.get(each.parent.sample), inspections) for each in new]

        served = {sample for sample, choice in chosen.items() if isinstance(choice, int)}
        return SavedHop(self.store, map(outcomes, explorations.batches()), served - done, opened)

    async def _fill(
        self,
        explorations: Explorations,
        way: Hop,
        hop: int,
        parents: Sequence[str],
        workers: Workers | None = None,
    ) -> None:
        """Explore from the parents, by workers where they are given."""
        parts = batches(parents, self.plan.batch)
        stage: dict[str, Any] = {"total": len(parents), "stage": f"hop {hop}", "progress": self.progress}

        async def explore(proposed: Sequence[Proposed]) -> None:
            """Add what this process explores of a batch of proposals."""
            explorations.add(await way.explore(proposed))

        async def keep(packed: Packed) -> None:
            """Add what a worker explored, packed as it is."""
            explorations.add_packed(packed)

        if not workers:
            await ask_in_batches(parts, partial(way.propose, hop), explore, **stage)
            return

        async def apart(batch: Sequence[str]) -> Packed:
            """Return what a worker explores of a batch of parents, once it can read their questions."""
            await way.saved(batch)
            return await explore_apart(workers, hop, batch)

        await ask_in_batches(parts, apart, keep, ahead=AHEAD * workers.number, **stage)

    async def _choose(
        self, explorations: Explorations, way: Hop, hop: int, inspections: Inspections
    ) -> dict[str, Choice]:
        """Return what each sample gets; what a second model refuses gives way to another."""
        shares = self.plan.shares
        chosen = shown = choose(explorations.seats, shares)
        while refused := await self._inspect(explorations, hop, shown, inspections):
            await self._fill(explorations, way, hop, sorted(refused))  # this process knows what was refused
            places = {sample: choice for sample, choice in chosen.items() if isinstance(choice, int)}
            seats = explorations.seats
            staying = {
                sample: seats[sample][place : place + 1] for sample, place in places.items() if sample not in refused
            }
            again = choose(staying | {sample: seats[sample] for sample in refused & seats.keys()}, shares)
            kept = {sample: places[sample] if again[sample] == 0 else again[sample] for sample in staying}
            shown = {sample: again[sample] for sample in refused & again.keys()}
            chosen = {sample: choice for sample, choice in chosen.items() if sample not in refused} | kept | shown
        return chosen

    async def _inspect(
        self, explorations: Explorations, hop: int, chosen: Mapping[str, Choice], inspections: Inspections
    ) -> set[str]:
        """Show the questions chosen to a second model, where there is one; return the samples of those refused."""
        refused: set[str] = set()
        if not self.recipe.inspector:
            return refused

        async def inspect(shown: Sequence[Inspectable]) -> None:
            """Note which questions of a batch the second model refuses."""
            refused.update(await inspections.inspect(shown))

        await ask_in_batches(
            _questions(explorations, chosen),
            lambda questions: asyncio.to_thread(self._inspectables, questions),
            inspect,
            total=len(chosen),
            stage=f"hop {hop}, second look",
            progress=self.progress,
        )
        return refused

    def _inspectables(self, questions: Sequence[Question]) -> list[Inspectable]:
        samples = {sample.id: sample for sample in self.store.samples(ids=[question.sample for question in questions])}
        return [Inspectable(samples[question.sample], question) for question in questions]

    def _inspections(self, hop: int) -> Inspections:
        inspector, run = self.recipe.inspector, self.plan.run.name
        kept = self.store.inspections(run=run, hop=hop) if inspector else ()
        return Inspections(inspector, {Words(each.question, each.text, each.answer): each for each in kept})


def _questions(explorations: Explorations, chosen: Mapping[str, Choice]) -> Iterator[tuple[int, list[Question]]]:
    """Give the questions chosen, a batch at a time, with the number of those given so far."""
    count = 0
    for batch in explorations.batches():
        places = ((exploration, chosen.get(exploration.parent.sample)) for exploration in batch)
        questions = [exploration.options[place].question for exploration, place in places if isinstance(place, int)]
        count += len(questions)
        yield count, questions
