"""The driver: re-selection, then one wave a hop, each wave asked of the graph and written back to it.

What is left to do is what the graph does not hold yet, and every outcome depends on the run's settings alone, so a run
that was killed ends, when it is run again, in the same graph as one that was left alone. A wave looks at all questions of
the hop before, because the share of one final answer (``concentration``) is a property of the whole run.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kbe_graph.errors import ConfigError, ReplyAwaited
from kbe_graph.evolve.exploration import Steps
from kbe_graph.evolve.explorer import Explorer, Link
from kbe_graph.evolve.outcome import evolved
from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.reselection import Path, reselected
from kbe_graph.evolve.samples import batches, sample_ids
from kbe_graph.evolve.wave import Wave, open_wave
from kbe_graph.filters.concentration import Choices, assign
from kbe_graph.store import RAW, Evolved, Store
from kbe_graph.types import Sample, SampleGraph

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Driver:
    """Runs a plan on a store.

    ``word`` words a re-selected path, ``link`` gives the concept of an answer or the empty string.
    """

    store: Store
    plan: Plan
    steps: Steps
    word: Callable[[Sample, SampleGraph, Path, int], tuple[str, str]]
    link: Link
    progress: Progress = lambda *_: None

    def evolve(self) -> None:
        """Run the plan to its end, or on from where it stopped; raises ConfigError where the run has other settings."""
        asyncio.run(self.run())

    async def run(self) -> None:
        """Do what ``evolve`` does, within one event loop, as connections to a model live in one."""
        self._claim()
        scope = self.plan.scope
        samples = set(filter(self.plan.holds, sample_ids(self.store, scope)))
        others = self.store.question_samples(run=RAW, hop=0, noun=False)
        self._reselect([one for one in others if one in samples])
        for hop in range(1, scope.hops + 1):
            await self._explore(hop, [one for one in self._parents(hop) if one in samples])

    def _claim(self) -> None:
        run = self.plan.run
        known = {one.name: one for one in self.store.runs()}
        if run.name in known and known[run.name] != run:
            theirs, ours = dict(known[run.name].settings), dict(run.settings)
            other = sorted(name for name in {*theirs, *ours} if theirs.get(name) != ours.get(name)) or ["seed"]
            raise ConfigError(
                f"run {run.name!r} was made with other settings ({', '.join(other)}); name another with --run"
            )
        self.store.save_run(run)

    def _reselect(self, samples: Sequence[str]) -> None:
        known = set(self.store.question_samples(run=self.plan.run.name, hop=0, status=None))
        todo = [one for one in samples if one not in known]
        for done, batch in batches(todo, self.plan.batch):
            self.store.save_questions(self._reselected(batch))
            self.progress("re-selection", done, len(todo))

    def _reselected(self, ids: Sequence[str]) -> list[Evolved]:
        run, scope = self.plan.run, self.plan.scope
        paths = self.store.reselect(ids, seed=run.seed, max_length=scope.max_length, timeout=scope.timeout)
        graphs = self.store.graphs(ids)
        return [
            Evolved(
                reselected(sample, graphs[sample.id], paths.get(sample.id), run=run.name, seed=run.seed, word=self.word)
            )
            for sample in self.store.samples(ids=ids)
        ]

    def _parents(self, hop: int) -> list[str]:
        """Return the samples that have a question to go on from: one of the hop before, or their own with a noun answer."""
        found = self.store.question_samples(run=self.plan.run.name, hop=hop - 1)
        return sorted({*found, *self.store.question_samples(run=RAW, hop=0, noun=True)}) if hop == 1 else found

    async def _explore(self, hop: int, parents: Sequence[str]) -> None:
        done = set(self.store.question_samples(run=self.plan.run.name, hop=hop, status=None))
        if done.issuperset(parents):
            return
        with open_wave() as wave:
            await self._fill(wave, hop, parents)
            chosen = self._assigned(hop, wave.answers)
            for explorations in wave.batches():
                new = [one for one in explorations if one.parent.sample not in done]
                self.store.save_questions([evolved(one, self.plan, hop, chosen.get(one.parent.sample)) for one in new])

    async def _fill(self, wave: Wave, hop: int, parents: Sequence[str]) -> None:
        """Explore from all parents; replies that are still to come are waited for only once all batches have asked."""
        explorer = Explorer(self.store, self.plan, self.steps, self.link)
        awaited: ReplyAwaited | None = None
        for done, batch in batches(parents, self.plan.batch):
            try:
                wave.add(await explorer.explored(hop, batch))
            except ReplyAwaited as error:
                awaited = awaited or error
            self.progress(f"hop {hop}", done, len(parents))
        if awaited:
            raise awaited

    def _assigned(self, hop: int, choices: Choices) -> dict[str, int | None]:
        plan = self.plan
        used = self.store.answers(run=plan.run.name, before=hop)
        return assign(choices, used=used, total_before=sum(used.values()), share=plan.share, floor=plan.floor)
