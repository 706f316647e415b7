"""Course of a run: re-selection, then one wave per hop, each read from the graph and written back to it.

Only outcomes missing from the graph are computed, and each depends only on the run's settings, so an interrupted run
ends in the same graph as an uninterrupted one when it is repeated. A wave covers all questions of the previous hop,
because the share of a chain or an answer (``guessable``) is a property of the whole hop.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from kbe_graph.checks.guessable import Choice, choose
from kbe_graph.checks.registry import EVERY
from kbe_graph.evolve.choice import Explorations, Inspections, outcome, read_inspections
from kbe_graph.evolve.evolution import Evolution
from kbe_graph.evolve.exploration import explore_batch
from kbe_graph.evolve.plan import claim, done_samples, sample_ids
from kbe_graph.evolve.reselection import reselect_batch, share_out
from kbe_graph.evolve.shapes.rule_line import ask_by_shapes
from kbe_graph.models import loop
from kbe_graph.models.loop import ask_in_batches, batches
from kbe_graph.review.consequences import newest, stopped_samples
from kbe_graph.steps.verifier import Inspectable
from kbe_graph.store import Evolved, Store
from kbe_graph.types import RAW
from kbe_graph.workers import made

Outcome = TypeVar("Outcome")
Work = Callable[[Evolution, Sequence[str]], Awaitable[Outcome]]


async def evolve(evolution: Evolution) -> None:
    """Run or resume the plan; raises ConfigError if the run has other settings."""
    store, plan = evolution.store, evolution.plan
    claim(store, plan.run)
    samples = sample_ids(store, plan.options)
    await _guess(evolution, samples)
    await _reselect(evolution, samples)
    for hop in range(1, plan.options.hops + 1):
        await _explore(evolution, hop, samples)
        if hop == 1 and not plan.steps and plan.choice == EVERY:
            await asyncio.to_thread(ask_by_shapes, evolution)


async def _guess(evolution: Evolution, samples: Sequence[str]) -> None:
    """Guess the answers of the benchmark's own questions without their images."""
    store, test = evolution.store, evolution.blind_test
    if test is None:
        return

    async def guess(_: Evolution, ids: Sequence[str]) -> None:
        pictures = {sample.id: sample.picture_key for sample in store.samples(ids=ids)}
        guesses = await test.guesses(newest(store, store.questions(run=RAW, samples=ids)), pictures)
        await asyncio.to_thread(store.save_guesses, evolution.run, guesses)

    done = {each.sample for each in store.guesses(run=evolution.run, hop=0, samples=samples) if each.kind == "raw"}
    await _do(evolution, "guess", guess, [sample for sample in samples if sample not in done], lambda _: None)


async def _reselect(evolution: Evolution, samples: Sequence[str]) -> None:
    """Ask about another object where the answer is not a noun."""
    store, plan = evolution.store, evolution.plan
    chosen = set(samples)
    noun = None if plan.options.reselect == "all" else False
    ids = [sample for sample in store.question_samples(run=RAW, hop=0, noun=noun) if sample in chosen]
    done = done_samples(store, plan, 0)
    if done.issuperset(ids):
        return
    reselected: list[Evolved] = []
    work = partial(reselect_batch, inspections=await _inspections(evolution, 0))
    await _do(evolution, "re-selection", work, ids, reselected.extend)
    questions = share_out([each.question for each in reselected], plan.shares)
    new = [each._replace(question=question) for each, question in zip(reselected, questions, strict=True)]
    new = [each for each in new if each.question.sample not in done]
    await _save(store, (batch for _, batch in batches(new, plan.batch)))


async def _explore(evolution: Evolution, hop: int, samples: Sequence[str]) -> None:
    """Explore from the questions of the hop before, choose one question per sample, and save it."""
    store, plan, run = evolution.store, evolution.plan, evolution.run
    if hop > 1:
        parents = set(store.question_samples(run=run, hop=hop - 1))
    else:  # the benchmark's own questions whose answer is a noun, and those of the re-selection
        parents = {sample for name in (RAW, run) for sample in store.question_samples(run=name, hop=0, noun=True)}
    ids = sorted(parents.intersection(samples) - stopped_samples(store, run, hop))
    done = done_samples(store, plan, hop)
    if done.issuperset(ids):
        return
    inspections = await _inspections(evolution, hop)
    work = partial(explore_batch, hop=hop, refuse=inspections.refusal)
    with Explorations() as explorations:
        explore = partial(_do, evolution, f"hop {hop}", work, take=explorations.add)
        await explore(ids)
        chosen = await choose_questions(evolution, explorations, inspections, explore, f"hop {hop}, second look")

        def outcomes() -> Iterable[list[Evolved]]:
            for batch in explorations.batches():
                new = [exploration for exploration in batch if exploration.parent.sample not in done]
                evolved = [outcome(each, plan, hop, chosen.get(each.parent.sample)) for each in new]
                yield [each._replace(inspections=inspections.of(each.question.id)) for each in evolved]

        await _save(store, outcomes())


async def choose_questions(
    evolution: Evolution,
    explorations: Explorations,
    inspections: Inspections,
    explore: Callable[[Sequence[str]], Awaitable[None]],
    stage: str,
) -> dict[str, Choice]:
    """Choose the position of each sample's question among its options, or the reason why it has none.

    A sample whose question a second model rejects is explored again, and another question is chosen.
    """
    shares = evolution.plan.shares
    chosen = shown = choose(explorations.entries, shares)
    while refused := await _refused(evolution, explorations, inspections, shown, stage):
        await explore(sorted(refused))
        places = {sample: choice for sample, choice in chosen.items() if isinstance(choice, int)}
        entries = explorations.entries
        staying = {
            sample: entries[sample][place : place + 1] for sample, place in places.items() if sample not in refused
        }
        again = choose(staying | {sample: entries[sample] for sample in refused & entries.keys()}, shares)
        kept = {sample: places[sample] if again[sample] == 0 else again[sample] for sample in staying}
        shown = {sample: again[sample] for sample in refused & again.keys()}
        chosen = {sample: choice for sample, choice in chosen.items() if sample not in refused} | kept | shown
    return chosen


async def _refused(
    evolution: Evolution,
    explorations: Explorations,
    inspections: Inspections,
    chosen: Mapping[str, Choice],
    stage: str,
) -> set[str]:
    refused: set[str] = set()
    if not evolution.inspector:
        return refused

    def parts() -> Iterable[tuple[int, list[Inspectable]]]:
        count = 0
        for batch in explorations.batches():
            places = ((each, chosen.get(each.parent.sample)) for each in batch)
            shown = [Inspectable(each.sample, each.options[at].question) for each, at in places if isinstance(at, int)]
            count += len(shown)
            yield count, shown

    async def take(samples: set[str]) -> None:
        refused.update(samples)

    progress = evolution.progress
    await ask_in_batches(parts(), inspections.inspect, take, total=len(chosen), stage=stage, progress=progress, ahead=0)
    return refused


async def _inspections(evolution: Evolution, hop: int) -> Inspections:
    return await asyncio.to_thread(read_inspections, evolution.store, evolution.run, hop, evolution.inspector)


async def _save(store: Store, evolved: Iterable[Sequence[Evolved]]) -> None:
    batches_left = iter(evolved)
    batch = next(batches_left, None)
    while batch is not None:  # the next is built while the graph takes this one
        save = asyncio.to_thread(store.save_questions, batch)
        _, batch = await asyncio.gather(save, asyncio.to_thread(next, batches_left, None))


async def _do(
    evolution: Evolution,
    stage: str,
    work: Work[Outcome],
    samples: Sequence[str],
    take: Callable[[Outcome], object],
) -> None:
    """Do work on the samples, a batch after the other, or several at a time in worker processes; take what it gives."""
    workers = evolution.workers

    async def begin(batch: Sequence[str]) -> Any:
        return await (workers.result(_do_in_worker, work, batch) if workers else work(evolution, batch))

    async def finish(outcome: Outcome) -> None:
        take(outcome)

    await ask_in_batches(
        batches(samples, evolution.plan.batch),
        begin,
        finish,
        total=len(samples),
        stage=stage,
        progress=evolution.progress,
        ahead=workers.ahead if workers else 0,
    )


def _do_in_worker(work: Work[Outcome], batch: Sequence[str]) -> Outcome:
    async def run() -> Outcome:
        return await work(made(), batch)

    return loop.run(run())
