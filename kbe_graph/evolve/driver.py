"""The driver: re-selection, then one wave a hop, each wave asked of the graph and written back to it.

What is left to do is what the graph does not hold yet, and every outcome depends on the run's settings alone, so a run
that was killed ends, when it is run again, in the same graph as one that was left alone. A wave looks at all questions of
the hop before, because the share of one final answer (``concentration``) is a property of the whole run.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from kbe_graph.errors import ConfigError, NoCandidate, ReplyAwaited
from kbe_graph.evolve.exploration import Exploration, Steps, asked, judge, options, rows
from kbe_graph.evolve.raw import RAW
from kbe_graph.evolve.reselection import Path, noun_answer, reselected
from kbe_graph.evolve.seeds import seed_of
from kbe_graph.filters.concentration import assign
from kbe_graph.models.shard import Shard
from kbe_graph.steps.gathering import gathered
from kbe_graph.store import CycleRow, Evolved, Store
from kbe_graph.text import fold
from kbe_graph.types import Candidate, Decision, Fact, Provenance, Question, Run, Sample, SampleGraph

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
CYCLE = Decision(keep=False, reason="cycle")
CONCENTRATION = "concentration"


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a run.

    ``limit`` is a number of samples, ``max_length`` the longest path in edges and ``timeout`` its search in seconds,
    ``share`` the largest part of a run that one final answer may take, ``floor`` the number that is always allowed;
    ``shard`` the part of the samples that this machine works on.
    """

    run: Run
    hops: int = 3
    limit: int | None = None
    max_length: int = 10
    timeout: float = 60
    share: float = 0.03
    floor: int = 3
    options: int = 6
    batch: int = 200
    shard: Shard | None = None


class _Proposed(NamedTuple):
    facts: Sequence[Fact]
    none: str = ""


@dataclass(frozen=True, slots=True)
class Driver:
    """Runs a plan on a store.

    ``word`` words a re-selected path, ``link`` gives the concept of an answer or the empty string.
    """

    store: Store
    plan: Plan
    steps: Steps
    word: Callable[[Sample, SampleGraph, Path, int], tuple[str, str]]
    link: Callable[[Sample, SampleGraph, Question], str]
    progress: Progress = lambda *_: None

    def evolve(self) -> None:
        """Run the plan to its end, or on from where it stopped; raises ConfigError where the run has other settings."""
        asyncio.run(self.run())

    async def run(self) -> None:
        """Do what ``evolve`` does, within one event loop, as connections to a model live in one."""
        self._claim()
        shard = self.plan.shard
        found = self.store.samples(status="extracted", limit=self.plan.limit)
        samples = {sample.id: sample for sample in found if shard is None or shard.holds(sample.id)}
        raw = [one for one in self.store.questions(run=RAW) if one.sample in samples]
        self._reselect([one for one in raw if not noun_answer(one)], samples)
        for hop in range(1, self.plan.hops + 1):
            await self._explore(hop, self._parents(hop, raw, samples), samples)

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

    def _reselect(self, questions: Sequence[Question], samples: dict[str, Sample]) -> None:
        plan = self.plan
        done = {one.sample for one in self.store.questions(run=plan.run.name, hop=0, status=None)}
        todo = [one.sample for one in questions if one.sample not in done]
        for start, batch in _batches(todo, plan.batch):
            paths = self.store.reselect(batch, seed=plan.run.seed, max_length=plan.max_length, timeout=plan.timeout)
            graphs = self.store.graphs(batch)
            self.store.save_questions(
                [
                    Evolved(
                        reselected(
                            samples[sample],
                            graphs[sample],
                            paths.get(sample),
                            run=plan.run.name,
                            seed=plan.run.seed,
                            word=self.word,
                        )
                    )
                    for sample in batch
                ]
            )
            self.progress("re-selection", start + len(batch), len(todo))

    def _parents(self, hop: int, raw: Sequence[Question], samples: dict[str, Sample]) -> list[Question]:
        found = self.store.questions(run=self.plan.run.name, hop=hop - 1)
        if hop == 1:
            found += [question for question in raw if noun_answer(question)]
        return sorted((one for one in found if one.sample in samples), key=lambda one: one.sample)

    async def _explore(self, hop: int, parents: list[Question], samples: dict[str, Sample]) -> None:
        name = self.plan.run.name
        done = {one.sample for one in self.store.questions(run=name, hop=hop, status=None)}
        if all(parent.sample in done for parent in parents):
            return
        explorations = await self._wave(hop, parents, samples)
        chosen = self._assigned(hop, explorations)
        for _, some in _batches([one for one in explorations if one.parent.sample not in done], self.plan.batch):
            self.store.save_questions([self._evolved(one, hop, chosen[one.parent.sample]) for one in some])

    async def _wave(self, hop: int, parents: Sequence[Question], samples: dict[str, Sample]) -> list[Exploration]:
        """Consider all parents; replies that are still to come are waited for only once all batches have asked."""
        explorations: list[Exploration] = []
        awaited: ReplyAwaited | None = None
        for start, batch in _batches(parents, self.plan.batch):
            try:
                explorations += await self._considered(batch, samples)
            except ReplyAwaited as error:
                awaited = awaited or error
            self.progress(f"hop {hop}", start + len(batch), len(parents))
        if awaited:
            raise awaited
        return explorations

    async def _considered(self, parents: Sequence[Question], samples: dict[str, Sample]) -> list[Exploration]:
        graphs = self.store.graphs([parent.sample for parent in parents])
        linked = [
            parent
            if parent.concept
            else with_concept(parent, self.link(samples[parent.sample], graphs[parent.sample], parent))
            for parent in parents
        ]
        proposed = await gathered(self._proposed(samples[parent.sample], parent) for parent in linked)
        candidates = [
            [Candidate(samples[parent.sample], graphs[parent.sample], parent, fact) for fact in one.facts]
            for parent, one in zip(linked, proposed, strict=True)
        ]
        decisions = [judge(some, self.steps.filters, stage="fact") for some in candidates]
        self._break_cycles(candidates, decisions)
        await self._asked(candidates, decisions)
        explored = await gathered(
            self._explored(parent, some, decided)
            for parent, some, decided in zip(linked, candidates, decisions, strict=True)
        )
        return [replace(exploration, none=one.none) for exploration, one in zip(explored, proposed, strict=True)]

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

    def _assigned(self, hop: int, explorations: Sequence[Exploration]) -> dict[str, int | None]:
        plan = self.plan
        earlier = [
            fold(one.answer) for before in range(1, hop) for one in self.store.questions(run=plan.run.name, hop=before)
        ]
        wanted = {
            one.parent.sample: tuple(fold(option.question.answer) for option in one.options)
            for one in explorations
            if one.options
        }
        chosen = assign(wanted, used=Counter(earlier), total_before=len(earlier), share=plan.share, floor=plan.floor)
        return {one.parent.sample: chosen.get(one.parent.sample) for one in explorations}

    def _evolved(self, exploration: Exploration, hop: int, choice: int | None) -> Evolved:
        if choice is not None:
            option = exploration.options[choice]
            return Evolved(option.question, rows(exploration, option.place))
        reason = CONCENTRATION if exploration.options else exploration.reason
        return Evolved(self._dropped(exploration.parent, hop, reason), rows(exploration, None))

    def _dropped(self, parent: Question, hop: int, reason: str) -> Question:
        return Question(
            id=f"{parent.sample}@{self.plan.run.name}/{hop}",
            sample=parent.sample,
            run=self.plan.run.name,
            hop=hop,
            kind="explored",
            text="",
            answer="",
            key=(),
            parent=parent.id,
            provenance=Provenance("rule", seed_of(self.plan.run.seed, parent.sample, hop)),
            status="dropped",
            reason=reason,
        )


def with_concept(question: Question, concept: str) -> Question:
    """Return the question with its answer linked to a concept, which the end of its key path carries on."""
    *path, last = question.key
    return replace(question, concept=concept, key=(*path, replace(last, object=replace(last.object, concept=concept))))


def _batches(items: Sequence[T], size: int) -> Iterator[tuple[int, Sequence[T]]]:
    for start in range(0, len(items), size):
        yield start, items[start : start + size]
