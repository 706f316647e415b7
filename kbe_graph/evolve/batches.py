"""The samples that a run works on, a batch at a time, and the questions that it starts from.

Of all samples only the ids are held; the rest is read a batch at a time, so that memory does not grow with a benchmark.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from kbe_graph.errors import ReplyAwaited
from kbe_graph.evolve.reselection import noun_answer
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.seeds import draw_ids
from kbe_graph.store import Store
from kbe_graph.types import RAW, Progress, Question

AHEAD = 1  # batches that are asked about while one is finished
T = TypeVar("T")
Replies = TypeVar("Replies")


def sample_ids(store: Store, scope: RunOptions) -> list[str]:
    """Return the ids of the samples that a run is asked for, whatever its shard."""
    ids = store.sample_ids(status="extracted", limit=scope.limit)
    return ids if scope.sample is None else draw_ids(ids, scope.sample, scope.seed)


def batches(items: Sequence[T], size: int) -> Iterator[tuple[int, Sequence[T]]]:
    """Give the items ``size`` at a time, with the number of those given so far."""
    for start in range(0, len(items), size):
        batch = items[start : start + size]
        yield start + len(batch), batch


async def ask_in_batches(
    batches: Iterable[tuple[int, T]],
    ask: Callable[[T], Awaitable[Replies]],
    finish: Callable[[Replies], Awaitable[None]],
    *,
    total: int,
    stage: str,
    progress: Progress,
    ahead: int = AHEAD,
) -> None:
    """Ask about the batches, each with the number of items so far, and finish them one after the other.

    While one is finished, the next ``ahead`` are asked about. Replies that are still to come are waited for only once
    all batches have asked; then ReplyAwaited is raised.
    """
    awaited: ReplyAwaited | None = None
    coming: deque[tuple[int, asyncio.Future[Replies]]] = deque()

    async def finish_first() -> None:
        """Finish the oldest batch; keep ReplyAwaited for the end, and raise anything else."""
        nonlocal awaited
        done, replies = coming[0]
        try:
            await finish(await replies)
        except ReplyAwaited as error:
            awaited = awaited or error
        coming.popleft()
        progress(stage, done, total)

    progress(stage, 0, total)
    try:
        for done, batch in batches:
            coming.append((done, asyncio.ensure_future(ask(batch))))
            if len(coming) > ahead:
                await finish_first()
        while coming:
            await finish_first()
    finally:
        await _cancel([replies for _, replies in coming])
    if awaited:
        raise awaited


async def _cancel(tasks: Sequence[asyncio.Future[Replies]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def first_questions(store: Store, run: str, ids: Sequence[str]) -> list[Question]:
    """Return the question that each sample is explored from: its own where the answer is a noun, else re-selected."""
    own = [question for question in store.questions(run=RAW, samples=ids) if noun_answer(question)]
    starting = {question.sample for question in own}
    return own + [each for each in store.questions(run=run, hop=0, samples=ids) if each.sample not in starting]
