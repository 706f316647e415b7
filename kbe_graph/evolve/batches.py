"""The samples that a run works on, a batch at a time, and the questions that it starts from.

Of all samples only the ids are held; the rest is read a batch at a time, so that memory does not grow with a benchmark.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TypeVar

from kbe_graph.errors import ReplyAwaited
from kbe_graph.evolve.plan import Scope
from kbe_graph.evolve.reselection import noun_answer
from kbe_graph.store import Store
from kbe_graph.types import RAW, Progress, Question

T = TypeVar("T")


def sample_ids(store: Store, scope: Scope) -> list[str]:
    """Return the ids of the samples that a run is asked for, whatever its shard."""
    return store.sample_ids(status="extracted", limit=scope.limit)


def batches(items: Sequence[T], size: int) -> Iterator[tuple[int, Sequence[T]]]:
    """Give the items ``size`` at a time, with the number of those given so far."""
    for start in range(0, len(items), size):
        batch = items[start : start + size]
        yield start + len(batch), batch


async def ask_in_batches(
    items: Sequence[T],
    size: int,
    ask: Callable[[Sequence[T]], Awaitable[None]],
    *,
    stage: str,
    progress: Progress,
) -> None:
    """Ask about the items ``size`` at a time.

    Replies that are still to come are waited for only once all batches have asked; then ReplyAwaited is raised.
    """
    awaited: ReplyAwaited | None = None
    for done, batch in batches(items, size):
        try:
            await ask(batch)
        except ReplyAwaited as error:
            awaited = awaited or error
        progress(stage, done, len(items))
    if awaited:
        raise awaited


def first_questions(store: Store, run: str, ids: Sequence[str]) -> list[Question]:
    """Return the questions of samples that the first hop starts from: re-selected, or their own with a noun answer."""
    own = [question for question in store.questions(run=RAW, samples=ids) if noun_answer(question)]
    return [*store.questions(run=run, hop=0, samples=ids), *own]
