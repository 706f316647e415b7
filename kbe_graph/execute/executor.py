"""Stages of work, and the executors that map them over items; a stage does not depend on who runs its batches.

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
    """Work on batches of items, each begun ahead of its turn and finished in turn.

    ``ahead`` is the number of batches begun while one is finished.
    """

    ahead: int = 1

    @property
    @abstractmethod
    def name(self) -> str:
        """The stage's name in progress reports."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Maximum number of items per batch."""

    def item_id(self, item: Item) -> str:
        """Get an item's ID, which determines its shard and must be the same for all clients."""
        return str(item)

    def missing(self, items: Sequence[Item]) -> Sequence[Item]:
        """Find the items that still need the stage: all, unless the stage saves its results."""
        return items

    async def ready(self, batch: Sequence[Item]) -> None:
        """Wait until the batch can be started, in whichever process."""

    @abstractmethod
    async def begin(self, batch: Sequence[Item]) -> Begun:
        """Do the work that does not depend on earlier batches: reading and asking."""

    async def finish(self, begun: Begun) -> Result:
        """Do the work that depends on the order of the batches; by default nothing."""
        return begun  # type: ignore[return-value]  # default: no work

    def call(self, batch: Sequence[Item]) -> Callable[[], Result]:
        """Build a single call that begins and finishes a batch, picklable for a worker process."""
        raise NotImplementedError(f"stage {self.name!r} runs in the process that asks")


class BatchWork(NamedTuple, Generic[Item, Result]):
    """Work on a batch, begun ahead of its turn and finished in turn."""

    begin: Callable[[Sequence[Item]], Awaitable[Any]]
    finish: Callable[[Any], Awaitable[Result]]


class Executor:
    """Executor that maps a stage over batches of items in this process, starting the next batches ahead."""

    def __init__(self, progress: Progress = lambda *_: None) -> None:
        self.progress = progress

    async def map(self, stage: Stage[Item, Begun, Result], items: Sequence[Item], take: Take[Result]) -> None:
        """Run the stage on all items that need it; the client that ran a batch passes its result to ``take``.

        Raises the errors of the stage and of ``take``, but ReplyAwaited only after all batches have asked.
        """
        missing = await asyncio.to_thread(stage.missing, items)
        work = self.work(stage)

        async def begin(batch: Sequence[Item]) -> Any:
            await stage.ready(batch)
            return await work.begin(batch)

        async def finish(begun: Any) -> None:
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
        """Run the stage on all items; then one client receives every result, decides, and saves the decision.

        Returns the saving, which may still be in progress, or None if nothing is left to save. ``is_over`` tells
        whether the decision has already been saved.
        """
        if is_over():
            return None
        await self.map(stage, items, take)
        return await decide()

    def once(self, stage: str, items: Sequence[str], do: Callable[[], T]) -> T | None:
        """Have one client run ``do``, which depends on all items; the others wait until it is done and get None."""
        del stage, items  # there are no other clients
        return do()

    async def run(self, stage: Stage[Item, Begun, Result], batch: Sequence[Item]) -> Result:
        """Run the stage on a single batch, independently of others."""
        work = self.work(stage)
        await stage.ready(batch)
        return await work.finish(await work.begin(batch))

    def lanes(self, stage: Stage[Item, Begun, Result]) -> int:
        """Calculate the number of batches in progress at once."""
        return stage.ahead + 1

    def work(self, stage: Stage[Item, Any, Result]) -> BatchWork[Item, Result]:
        """Get the work on each batch of the stage, as done by this executor."""
        return BatchWork(stage.begin, stage.finish)


def batches(items: Sequence[T], size: int) -> Iterator[tuple[int, Sequence[T]]]:
    """Yield the items in batches of ``size``, each with the running total of items."""
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
    """Ask about batches, each given with the running total of items, and finish them one after the other.

    While one is finished, the next ``ahead`` are asked about. Outstanding replies are raised as ReplyAwaited only after
    all batches have asked.
    """
    awaited: list[ReplyAwaited] = []
    coming: deque[tuple[int, asyncio.Future[Begun]]] = deque()

    async def finish_first() -> None:
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
