"""A stage of work, and the executors that map it over items: the same stage, whoever runs its batches.

``Executor`` runs them in this process, ``WorkerProcesses`` on all cores, and ``Clients`` shares them with other clients
of a graph, which may be the workers of a Ray cluster.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, NamedTuple, TypeVar

from kbe_graph.errors import ReplyAwaited
from kbe_graph.types import Progress

Item = TypeVar("Item")
Begun = TypeVar("Begun")
Result = TypeVar("Result")
T = TypeVar("T")
Take = Callable[[Result], Awaitable[None]]
Saving = TypeVar("Saving", bound=AbstractAsyncContextManager[Any])


class Stage(ABC, Generic[Item, Begun, Result]):
    """The work on each batch of items: begun ahead of its turn, and finished in turn.

    ``ahead`` batches are begun while one is finished.
    """

    ahead: int = 1

    @property
    @abstractmethod
    def name(self) -> str:
        """The stage, as progress tells it."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The most items of a batch."""

    def item_id(self, item: Item) -> str:
        """Return the id of an item: the same for all clients, it decides the shard of the item."""
        return str(item)

    def missing(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return the items that still need the stage: all, unless the stage saves its results."""
        return items

    async def ready(self, batch: Sequence[Item]) -> None:
        """Wait until the batch can be begun, in whatever process."""

    @abstractmethod
    async def begin(self, batch: Sequence[Item]) -> Begun:
        """Do the work that need not wait for the batches before: read, and ask."""

    async def finish(self, begun: Begun) -> Result:
        """Do the work that needs the order of the batches; nothing, unless the stage says more."""
        return begun  # type: ignore[return-value]  # nothing is done

    def call(self, batch: Sequence[Item]) -> Callable[[], Result]:
        """Return begin and finish of a batch as one call, which can be pickled for a worker process."""
        raise NotImplementedError(f"stage {self.name!r} runs in the process that asks")


class BatchWork(NamedTuple, Generic[Item, Result]):
    """The work on a batch: begun ahead of its turn, and finished in turn."""

    begin: Callable[[Sequence[Item]], Awaitable[Any]]
    finish: Callable[[Any], Awaitable[Result]]


class Executor:
    """Maps a stage over items, a batch at a time; this one in this process, the next batches begun ahead."""

    def __init__(self, progress: Progress = lambda *_: None) -> None:
        self.progress = progress

    async def map(self, stage: Stage[Item, Begun, Result], items: Sequence[Item], take: Take[Result]) -> None:
        """Run the stage on all items that miss it; each result is taken by the client that ran the batch.

        Raises the errors of the stage and of ``take``; ReplyAwaited only once all batches have asked.
        """
        missing = await asyncio.to_thread(stage.missing, items)
        work = self.work(stage)

        async def begin(batch: Sequence[Item]) -> Any:
            """Begin a batch as soon as it is ready."""
            await stage.ready(batch)
            return await work.begin(batch)

        async def finish(begun: Any) -> None:
            """Finish a batch, and have its result taken."""
            await take(await work.finish(begun))

        ahead, total = self.lanes(stage) - 1, len(missing)
        parts = batches(missing, stage.size)
        await ask_in_batches(parts, begin, finish, total=total, stage=stage.name, progress=self.progress, ahead=ahead)

    async def reduce(
        self,
        stage: Stage[Item, Begun, bytes],
        items: Sequence[Item],
        take: Take[bytes],
        decide: Callable[[], Awaitable[Saving]],
        *,
        is_over: Callable[[], bool],
    ) -> Saving | None:
        """Run the stage on all items; then one client takes every result, decides, and saves the decision.

        Returns that saving, which may go on; None if nothing is left to save. ``is_over`` tells whether the decision is
        saved already.
        """
        if is_over():
            return None
        await self.map(stage, items, take)
        return await decide()

    def once(self, stage: str, items: Sequence[str], do: Callable[[], T]) -> T | None:
        """Have one client do work that depends on all items; None to the others, who wait until it is done."""
        del stage, items  # there are no other clients
        return do()

    async def run(self, stage: Stage[Item, Begun, Result], batch: Sequence[Item]) -> Result:
        """Run the stage on one batch, whatever other batches are run."""
        work = self.work(stage)
        await stage.ready(batch)
        return await work.finish(await work.begin(batch))

    def lanes(self, stage: Stage[Item, Begun, Result]) -> int:
        """Return the number of batches in work at once."""
        return stage.ahead + 1

    def work(self, stage: Stage[Item, Any, Result]) -> BatchWork[Item, Result]:
        """Return the work on each batch of the stage: the stage's own, as it is done here."""
        return BatchWork(stage.begin, stage.finish)


def batches(items: Sequence[T], size: int) -> Iterator[tuple[int, Sequence[T]]]:
    """Give the items ``size`` at a time, with the number of those given so far."""
    for start in range(0, len(items), size):
        batch = items[start : start + size]
        yield start + len(batch), batch


async def ask_in_batches(
    batches: Iterable[tuple[int, T]],
    ask: Callable[[T], Awaitable[Begun]],
    finish: Callable[[Begun], Awaitable[None]],
    *,
    total: int,
    stage: str,
    progress: Progress,
    ahead: int = 1,
) -> None:
    """Ask about the batches, each with the number of items so far, and finish them one after the other.

    While one is finished, the next ``ahead`` are asked about. Replies that are still to come are waited for only once
    all batches have asked; then ReplyAwaited is raised.
    """
    awaited: list[ReplyAwaited] = []
    coming: deque[tuple[int, asyncio.Future[Begun]]] = deque()

    async def finish_first() -> None:
        """Finish the oldest batch; keep ReplyAwaited for the end, and raise anything else."""
        done, replies = coming[0]
        try:
            await finish(await replies)
        except ReplyAwaited as error:
            awaited.append(error)
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
        raise awaited[0]


async def _cancel(tasks: Sequence[asyncio.Future[Begun]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
