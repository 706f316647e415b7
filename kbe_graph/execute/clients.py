"""Work shared by clients of one graph, on one or more machines: each takes parts, and one decides on all results."""

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
"""Function that wraps a local executor so that it shares its work with other clients, if there may be any."""


class Clients(Executor):
    """Executor that shares the batches with other clients as parts; ``local`` runs this client's parts.

    ``is_kept`` says that the parts stay in the graph between commands, until the work is done.
    """

    def __init__(self, parts: Parts, local: Executor, store: Store, *, is_kept: bool = True) -> None:
        super().__init__(local.progress)
        self._parts, self._local, self._store, self._is_kept = parts, local, store, is_kept

    async def map(self, stage: Stage[Item, Begun, Result], items: Sequence[Item], take: Take[Result]) -> None:
        """Run the stage on this client's items, and pass on the results; returns when all clients are done."""

        async def do(batch: Sequence[Item]) -> bytes:
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
        """Run the stage as parts whose results are stored in the graph, and let one client decide on all of them.

        Results may be passed on again if other clients finished the work in the meantime; the later ones apply.

        Raises PartsAwaited if samples of other shards are not yet available.
        """
        while not is_over():
            shared = await self._share(stage, items, partial(self._local.run, stage), is_over)

            async def do(shared: Sequence[WorkPart[Item]] = shared) -> None:
                for part in shared:
                    if not (content := await asyncio.to_thread(self._parts.content, part)):
                        return  # the client whose part this one took over had already decided
                    await take(content)
                async with await decide():
                    pass  # leaving the block waits until everything is saved
                self._parts.forget_contents(stage.name)

            self._require_extracted()
            with suppress(PartForgotten):  # the work is over, or is repeated
                await self._parts.once(f"{stage.name}, choice", list(map(stage.item_id, items)), do, is_over)
                return None
        return None

    def once(self, stage: str, items: Sequence[str], do: Callable[[], T]) -> T | None:
        """Have one client run ``do``, in a thread, as it may run its own event loop."""
        outcomes: list[T] = []

        async def do_in_thread() -> None:
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
        own = self._parts.shard
        if own is None:
            return
        others = [sample for sample in self._store.sample_ids(status="loaded") if not own.holds(sample)]
        if others:
            numbers = sorted({shard_index(sample, own.count) + 1 for sample in others})
            raise PartsAwaited([f"{number}/{own.count}" for number in numbers])


def alone(local: Executor) -> Executor:
    """Return ``local`` unchanged, for a process that shares its work with nobody."""
    return local


@contextmanager
def open_sharing(store: Store, work: str, shard: Shard | None = None, *, is_kept: bool = True) -> Iterator[Share]:
    """Yield the function that shares work with other clients, if the graph is on a server.

    With ``is_kept``, work that is divided into shards, or that already has parts, is shared on any graph. Otherwise
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
