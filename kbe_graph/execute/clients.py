"""Work on several clients of one graph, on one machine or many: each takes parts of it, and one decides on all."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from kbe_graph.config import lease_seconds
from kbe_graph.errors import PartsAwaited
from kbe_graph.execute.executor import Begun, Executor, Item, Result, Saving, Stage, T, ThisProcess
from kbe_graph.execute.parts import Parts, WorkPart
from kbe_graph.models import loop
from kbe_graph.models.shard import Shard, shard_index
from kbe_graph.store import Store
from kbe_graph.store.stored_parts import StoredParts

Share = Callable[[ThisProcess], Executor]
"""Gives the executor that shares the work of a process, or of its workers, with other clients if there may be any."""


@dataclass(frozen=True, slots=True)
class Clients:
    """Shares the batches with other clients as parts; ``local`` runs those of this one.

    ``is_kept`` says that the parts stay in the graph until the work is done, from one command to the next.
    """

    parts: Parts
    local: ThisProcess
    store: Store
    is_kept: bool = True

    async def map(
        self,
        stage: Stage[Item, Begun, Result],
        items: Sequence[Item],
        take: Callable[[Result], Awaitable[None]],
    ) -> None:
        """Run the stage on the items that this client gets, and take the results; ends when all clients are done."""

        async def do(batch: Sequence[Item]) -> bytes:
            """Run what is left of a part; there is nothing to hand on."""
            if left := await asyncio.to_thread(stage.left, batch):
                await take(await self.local.run(stage, left))
            return b""

        if not self.is_kept:
            self.parts.join()
        await self._share(stage, items, do)

    async def reduce(
        self,
        stage: Stage[Item, Begun, bytes],
        items: Sequence[Item],
        take: Callable[[bytes], Awaitable[None]],
        decide: Callable[[], Awaitable[Saving]],
        *,
        is_over: Callable[[], bool],
    ) -> Saving | None:
        """Run the stage as parts whose results are kept in the graph, where one client decides on all of them.

        Raises PartsAwaited where samples of other shards are not there yet.
        """
        if is_over():
            return None
        shared = await self._share(stage, items, partial(self.local.run, stage), is_over=is_over)

        async def do() -> None:
            """Take all results out of the graph, decide, and save the decision."""
            for part in shared:
                await take(self.parts.content(part))
            async with await decide():
                pass  # leaving it waits until all is saved
            self.parts.forget_contents(stage.name)

        self._require_extracted()
        await self.parts.once(f"{stage.name}, choice", list(map(stage.item_id, items)), do, is_over=is_over)
        return None

    def once(self, stage: str, items: Sequence[str], do: Callable[[], T]) -> T | None:
        """Have one of the clients do something, in a thread, as it may run a loop of its own."""
        outcomes: list[T] = []

        async def do_in_thread() -> None:
            """Do it, and keep the outcome."""
            outcomes.append(await asyncio.to_thread(do))

        if not self.is_kept:
            self.parts.join()
        loop.run(self.parts.once(stage, items, do_in_thread))
        return outcomes[0] if outcomes else None

    async def _share(
        self,
        stage: Stage[Item, Begun, Result],
        items: Sequence[Item],
        do: Callable[[Sequence[Item]], Awaitable[bytes]],
        is_over: Callable[[], bool] = lambda: False,
    ) -> Sequence[WorkPart[Item]]:
        return await self.parts.share(
            stage.name,
            items,
            do,
            size=stage.size,
            lanes=self.local.lanes(stage),
            is_over=is_over,
            name=stage.item_id,
            progress=self.local.progress,
        )

    def _require_extracted(self) -> None:
        """Raise PartsAwaited where samples of other shards have no graph yet, as those of workspaces made apart."""
        own = self.parts.shard
        if own is None:
            return
        others = [sample for sample in self.store.sample_ids(status="loaded") if not own.holds(sample)]
        if others:
            numbers = sorted({shard_index(sample, own.count) + 1 for sample in others})
            raise PartsAwaited([f"{number}/{own.count}" for number in numbers])


def alone(local: ThisProcess) -> Executor:
    """Return the executor of a process that shares its work with nobody."""
    return local


@contextmanager
def open_sharing(store: Store, work: str, shard: Shard | None = None, *, is_kept: bool = True) -> Iterator[Share]:
    """Give what shares a work with other clients, if the graph is on a server.

    Where ``is_kept``, a work that is cut into shards is shared on any graph, and so is one whose parts are there. Else
    this process works alone. Raises ConfigError.
    """
    is_shared = store.connection.is_shared
    if not is_shared and not (is_kept and (shard or StoredParts(store.connection).has_any(work))):
        yield alone
        return
    lease = lease_seconds(os.environ)
    with Parts(store, work, shard, lease=lease, patience=lease if is_shared else 0.0) as parts:
        yield lambda local: Clients(parts, local, store, is_kept)
        if parts.is_done:
            parts.leave()
