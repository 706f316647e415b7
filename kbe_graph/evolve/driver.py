"""Course of a run: re-selection, then one wave per hop, each read from the graph and written back to it.

Only outcomes missing from the graph are computed, and each depends only on the run's settings, so an interrupted run
ends in the same graph as an uninterrupted one when it is repeated. A wave covers all questions of the previous hop,
because the share of a chain or an answer (``guessable``) is a property of the whole hop.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from kbe_graph.checks.guessable import Choice
from kbe_graph.evolve.blind_test import BlindTest, RawGuess
from kbe_graph.evolve.exploration import Exploration
from kbe_graph.evolve.hop import Explore
from kbe_graph.evolve.manifest import claim
from kbe_graph.evolve.plan import done_samples, sample_ids, samples_to_explore, samples_to_reselect
from kbe_graph.evolve.recipe import Evolution
from kbe_graph.evolve.reselection import reselect, share_out
from kbe_graph.evolve.saving import Explorations, SavedHop, open_explorations, outcome
from kbe_graph.evolve.second_look import Inspections, SecondLook, read_inspections
from kbe_graph.models import loop
from kbe_graph.models.loop import ask_in_batches, batches
from kbe_graph.review.consequences import newest, stopped_samples
from kbe_graph.store import Evolved, Store
from kbe_graph.types import RAW, Question
from kbe_graph.workers import made


async def evolve(evolution: Evolution) -> None:
    """Run or resume the plan; raises ConfigError if the run has other settings."""
    store, plan = evolution.store, evolution.plan
    claim(store, plan.run)
    ids = sample_ids(store, plan.scope)
    samples = set(ids)
    await _guess_raw(evolution, ids)
    async with AsyncExitStack() as written:
        to_reselect = [sample for sample in samples_to_reselect(store, plan.scope) if sample in samples]
        before = await written.enter_async_context(await _reselect(evolution, to_reselect))
        for hop in range(1, plan.scope.hops + 1):
            parents = samples & (before.kept | samples_to_explore(store, plan.run.name, hop))
            parents -= stopped_samples(store, plan.run.name, hop)
            before = await written.enter_async_context(await _explore(evolution, hop, sorted(parents), before))


class _Stage(Protocol):
    """Work on batches of samples: begun ahead of their turn, as it reads and asks, and finished in turn."""

    @property
    def name(self) -> str:
        """The name in progress reports."""

    async def begin(self, batch: Sequence[str], /) -> Any:
        """Read and ask."""

    async def finish(self, begun: Any, /) -> Any:
        """Do the work that depends on the order of the batches."""


async def _map(
    evolution: Evolution,
    stage_of: Callable[[Evolution], _Stage],
    samples: Sequence[str],
    take: Callable[[Any], object],
    ready: Callable[[Sequence[str]], Awaitable[object]] | None = None,
) -> None:
    stage, workers = stage_of(evolution), evolution.workers

    async def begin(batch: Sequence[str]) -> Any:
        if ready:
            await ready(batch)
        return await (workers.result(_run_in_worker, stage_of, batch) if workers else stage.begin(batch))

    async def finish(begun: Any) -> None:
        take(begun if workers else await stage.finish(begun))

    await ask_in_batches(
        batches(samples, evolution.plan.batch),
        begin,
        finish,
        total=len(samples),
        stage=stage.name,
        progress=evolution.progress,
        ahead=workers.ahead if workers else 1,
    )


def _run_in_worker(stage_of: Callable[[Evolution], _Stage], batch: Sequence[str]) -> Any:
    async def run() -> Any:
        stage = stage_of(made())
        return await stage.finish(await stage.begin(batch))

    return loop.run(run())


async def _guess_raw(evolution: Evolution, samples: Sequence[str]) -> None:
    if (test := evolution.recipe.blind_test) is None:
        return
    missing = await asyncio.to_thread(raw_to_guess, evolution.store, evolution.run, samples)
    await _map(evolution, partial(GuessRaw, test=test), missing, lambda _: None)


async def _reselect(evolution: Evolution, samples: Sequence[str]) -> SavedHop:
    store, plan = evolution.store, evolution.plan
    if _is_done(evolution, 0, samples):
        return SavedHop(store)
    reselected: dict[str, Evolved] = {}

    def take(batch: Sequence[Evolved]) -> None:
        reselected.update((each.question.id, each) for each in batch)

    await _map(evolution, reselect, samples, take)
    done = done_samples(store, plan, 0)
    questions = share_out([each.question for each in reselected.values()], plan.shares)
    missing = [question for question in questions if question.sample not in done]
    new = [reselected[question.id]._replace(question=question) for question in missing]
    kept = [question.sample for question in missing if question.status == "kept"]
    return SavedHop(store, (batch for _, batch in batches(new, plan.batch)), kept)


async def _explore(evolution: Evolution, hop: int, parents: Sequence[str], before: SavedHop) -> SavedHop:
    if _is_done(evolution, hop, parents):
        return SavedHop(evolution.store)
    if evolution.recipe.second_opinion:
        await before.all()  # its verdicts on facts apply to this hop, too
    inspections = read_inspections(evolution, hop)
    stage_of = partial(Explore, hop=hop, refuse=inspections.refusal)
    with ExitStack() as opened:
        explorations = opened.enter_context(open_explorations())
        await _map(evolution, stage_of, parents, explorations.add, before.of)
        await before.all()
        explore_again = partial(_map, evolution, stage_of, take=explorations.add)
        chosen = await SecondLook(evolution, explorations, inspections, explore_again, f"hop {hop}").choose()
        return _save_chosen(evolution, hop, explorations, chosen, inspections, opened.pop_all())


def _save_chosen(
    evolution: Evolution,
    hop: int,
    explorations: Explorations,
    chosen: Mapping[str, Choice],
    inspections: Inspections,
    opened: ExitStack,
) -> SavedHop:
    store, plan = evolution.store, evolution.plan
    done = done_samples(store, plan, hop)

    def outcomes(batch: Sequence[Exploration]) -> list[Evolved]:
        new = [exploration for exploration in batch if exploration.parent.sample not in done]
        evolved = [outcome(each, plan, hop, chosen.get(each.parent.sample)) for each in new]
        return [each._replace(inspections=inspections.of(each.question.id)) for each in evolved]

    served = {sample for sample, choice in chosen.items() if isinstance(choice, int)}
    return SavedHop(store, map(outcomes, explorations.batches()), served - done, opened)


def _is_done(evolution: Evolution, hop: int, samples: Sequence[str]) -> bool:
    return done_samples(evolution.store, evolution.plan, hop).issuperset(samples)


@dataclass(frozen=True)
class GuessRaw:
    """Stage that guesses the answers of the benchmark's own questions, by sample ID."""

    name = "guess"
    evolution: Evolution
    test: BlindTest

    async def begin(self, batch: Sequence[str]) -> list[RawGuess]:
        """Guess the answers to the samples' questions; raises ReplyAwaited."""
        questions, pictures = await asyncio.to_thread(self._read, batch)
        return await self.test.guesses(questions, pictures)

    async def finish(self, begun: list[RawGuess]) -> None:
        """Save the guesses."""
        await asyncio.to_thread(self.evolution.store.save_guesses, self.evolution.run, begun)

    def _read(self, ids: Sequence[str]) -> tuple[list[Question], dict[str, str]]:
        store = self.evolution.store
        pictures = {sample.id: sample.picture_key for sample in store.samples(ids=ids)}
        return newest(store, store.questions(run=RAW, samples=ids)), pictures


def raw_to_guess(store: Store, run: str, samples: Sequence[str]) -> list[str]:
    """Find the samples whose own question a run has not guessed."""
    done = {guess.sample for guess in store.guesses(run=run, hop=0, samples=samples) if guess.kind == "raw"}
    return [sample for sample in samples if sample not in done]
