"""Work on several clients of one graph, on one machine or many: each takes parts of it, and one decides on all."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from kbe_graph.config import lease_seconds
from kbe_graph.errors import PartsAwaited
from kbe_graph.execute.executor import Begun, Executor, Item, Result, Saving, Stage, T, Take
from kbe_graph.execute.parts import PartForgotten, Parts, Shard, WorkPart, shard_index
from kbe_graph.models import loop
from kbe_graph.store import Store
from kbe_graph.store.stored_parts import StoredParts

Share = Callable[[Executor], Executor]
"""Gives the executor that shares the work of a process, or of its workers, with other clients if there may be any."""


class Clients(Executor):
    """Shares the batches with other clients as parts; ``local`` runs those of this one.

    ``is_kept`` says that the parts stay in the graph until the work is done, from one command to the next.
    """

    def __init__(self, parts: Parts, local: Executor, store: Store, *, is_kept: bool = True) -> None:
        super().__init__(local.progress)
        self._parts, self._local, self._store, self._is_kept = parts, local, store, is_kept

    async def map(self, stage: Stage[Item, Begun, Result], items: Sequence[Item], take: Take[Result]) -> None:
        """Run the stage on the items that this client gets, and take the results; ends when all clients are done."""

        async def do(batch: Sequence[Item]) -> bytes:
            """Run the items of a part that miss the stage; there is nothing to hand on."""
            if missing := await asyncio.to_thread(stage.missing, batch):
                await take(await self._local.run(stage, missing))
            return b""

        if not self._is_kept:
            self._parts.join()
        await self._share(stage, items, do, lambda: False)

    async def reduce(
        self,
        stage: Stage[Item, Begun, bytes],
        items: Sequence[Item],
        take: Take[bytes],
        decide: Callable[[], Awaitable[Saving]],
        *,
        is_over: Callable[[], bool],
    ) -> Saving | None:
        """Run the stage as parts whose results are kept in the graph, where one client decides on all of them.

        Results may be taken again, where other clients ended the work meanwhile; the later ones hold.

        Raises PartsAwaited where samples of other shards are not there yet.
        """
        while not is_over():
            shared = await self._share(stage, items, partial(self._local.run, stage), is_over)

            async def do(shared: Sequence[WorkPart[Item]] = shared) -> None:
                """Take all results out of the graph, decide, and save the decision."""
                for part in shared:
                    if not (content := await asyncio.to_thread(self._parts.content, part)):
                        return  # the client that this one took over from has decided
                    await take(content)
                async with await decide():
                    pass  # leaving it waits until all is saved
                self._parts.forget_contents(stage.name)

            self._require_extracted()
            with suppress(PartForgotten):  # then it is over, or done again
                await self._parts.once(f"{stage.name}, choice", list(map(stage.item_id, items)), do, is_over)
                return None
        return None

    def once(self, stage: str, items: Sequence[str], do: Callable[[], T]) -> T | None:
        """Have one of the clients do something, in a thread, as it may run a loop of its own."""
        outcomes: list[T] = []

        async def do_in_thread() -> None:
            """Do it, and keep the outcome."""
            outcomes.append(await asyncio.to_thread(do))

        if not self._is_kept:
            self._parts.join()
        loop.run(self._parts.once(stage, items, do_in_thread))
        return outcomes[0] if outcomes else None

    async def _share(
        self,
        stage: Stage[Item, Begun, Result],
        items: Sequence[Item],
        do: Callable[[Sequence[Item]], Awaitable[bytes]],
        is_over: Callable[[], bool],
    ) -> Sequence[WorkPart[Item]]:
        lanes = self._local.lanes(stage)
        return await self._parts.share(stage, items, do, lanes=lanes, is_over=is_over, progress=self.progress)

    def _require_extracted(self) -> None:
        """Raise PartsAwaited where samples of other shards have no graph yet, as those of workspaces made apart."""
        own = self._parts.shard
        if own is None:
            return
        others = [sample for sample in self._store.sample_ids(status="loaded") if not own.holds(sample)]
        if others:
            numbers = sorted({shard_index(sample, own.count) + 1 for sample in others})
            raise PartsAwaited([f"{number}/{own.count}" for number in numbers])


def alone(local: Executor) -> Executor:
    """Return the executor of a process that shares its work with nobody."""
    return local


@contextmanager
def open_sharing(store: Store, work: str, shard: Shard | None = None, *, is_kept: bool = True) -> Iterator[Share]:
    """Give the sharing of a work with other clients, if the graph is on a server.

    Where ``is_kept``, a work that is cut into shards is shared on any graph, and so is one whose parts are there. Else
    this process works alone. Raises ConfigError.
    """
    is_shared = store.connection.is_shared
    if not is_shared and not (is_kept and (shard or StoredParts(store.connection).has_any(work))):
        yield alone
        return
    lease = lease_seconds(os.environ)
    with Parts(store, work, shard, lease=lease, patience=lease if is_shared else 0.0) as parts:
        yield lambda local: Clients(parts, local, store, is_kept=is_kept)
        if parts.is_done:
            parts.leave()
