"""Division of work into parts that several clients claim through the graph, each part once, until all are done.

A client holds a part while it sends heartbeats; the parts of a client that is gone are taken over. Results are stored
in the graph, so that one client can decide on all of them, once.
"""

import asyncio
import hashlib
import os
import random
import secrets
import socket
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Event, Lock, Thread
from typing import Any, Generic, Self, TypeVar

from kbe_graph import __version__
from kbe_graph.errors import ConfigError, KbeError, PartsAwaited, ReplyAwaited
from kbe_graph.execute.executor import Stage, batches
from kbe_graph.models.loop import gather_all
from kbe_graph.store import Store
from kbe_graph.store.stored_parts import PartPlace, PartState, StoredParts
from kbe_graph.types import Progress


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``index`` of ``count``, counted from 1."""

    index: int
    count: int

    def holds(self, sample: str) -> bool:
        """Return True if the sample with this ID belongs to the part."""
        return shard_index(sample, self.count) == self.index - 1


def shard_index(sample: str, count: int) -> int:
    """Calculate a sample's part, 0 to count - 1, from its ID only: the same on every machine and for any file."""
    return int.from_bytes(hashlib.sha256(sample.encode()).digest()[:8]) % count


def read_shard(text: str) -> Shard:
    """Parse the shard ``i/n``; raises ConfigError."""
    index, _, count = text.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise ConfigError(f"{text!r} is not a shard; write i/n with i from 1 to n, such as 1/4")
    return Shard(int(index), int(count))


T = TypeVar("T")
CLIENTS = "clients"
BEATS = 4  # heartbeats per lease
LONGEST_PAUSE = 1.0  # seconds between checks on other clients


@dataclass(frozen=True, slots=True)
class WorkPart(Generic[T]):
    """Part of a stage: some of the items of one shard."""

    place: PartPlace
    items: Sequence[T]
    shard: Shard


@dataclass(slots=True)
class _State(Generic[T]):
    """Progress of a stage as known to this client."""

    parts: Sequence[WorkPart[T]]
    do: Callable[[Sequence[T]], Awaitable[bytes]]
    is_over: Callable[[], bool]
    progress: Callable[[int], object]
    begun: set[str] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    busy: set[str] = field(default_factory=set)
    awaited: dict[str, ReplyAwaited] = field(default_factory=dict)
    over: bool = False
    has_claimed: bool = False
    idle: float = 0.0

    @property
    def left(self) -> list[WorkPart[T]]:
        """The parts that are not done."""
        return [] if self.over else [part for part in self.parts if part.place.id not in self.finished]


class PartForgotten(Exception):
    """A finished part is missing because another client completed the work and deleted its parts."""


class Parts:
    """Parts of one piece of work, such as evolving a run, as claimed by one client.

    ``shard`` limits the parts that this client may claim; None allows all. ``patience`` is how many seconds it waits
    for other shards while it hears of no client.
    """

    def __init__(
        self, store: Store, work: str, shard: Shard | None = None, *, lease: float, patience: float | None = None
    ) -> None:
        self.work, self.shard = work, shard
        self._stored = StoredParts(store.connection)
        self._client = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._lease, self._patience = lease, lease if patience is None else patience
        self._pause = min(LONGEST_PAUSE, lease / 10)
        self._held: set[str] = set()
        self._ended = Event()
        self._looking = Lock()
        self.is_done = True  # no part has been left unfinished

    async def share(
        self,
        stage: Stage[T, Any, Any],
        items: Sequence[T],
        do: Callable[[Sequence[T]], Awaitable[bytes]],
        *,
        lanes: int,
        is_over: Callable[[], bool],
        progress: Progress,
    ) -> Sequence[WorkPart[T]]:
        """Process all items of a stage as parts, and return the parts when all are done.

        ``is_over`` tells whether others have completed the stage and deleted its parts. This client works on ``lanes``
        parts at once. Raises PartsAwaited if other shards are missing and nobody works on them, ConfigError if others
        divided the work into a different number of shards, ReplyAwaited, and the errors of ``do``.
        """
        count = await asyncio.to_thread(self._count, stage.name)
        parts = list(self._cut(stage, items, count))
        sizes = {part.place.id: len(part.items) for part in parts}
        state = _State(parts, do, is_over, lambda done: progress(stage.name, done, len(items)))
        progress(stage.name, 0, len(items))
        await gather_all(self._work(state, sizes) for _ in range(lanes))
        return parts

    async def once(
        self,
        stage: str,
        items: Sequence[str],
        do: Callable[[], Awaitable[None]],
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Have one client run ``do`` once, while the others wait; ``items`` are those it depends on."""

        async def do_all(_: Sequence[str]) -> bytes:
            await do()
            return b""

        place = PartPlace(f"{self.work}|{stage}|{_digest(items)}", self.work, stage, 1)
        part = WorkPart(place, items, self.shard or Shard(1, 1))
        state = _State([part], do_all, is_over, lambda *_: None)
        await self._work(state, {place.id: 1})

    def content(self, part: WorkPart[T]) -> bytes:
        """Read the result of a finished part, empty once a client has decided on it. Raises PartForgotten."""
        content = self._stored.content(part.place.id)
        if content is None:
            raise PartForgotten(part.place.id)
        return content

    def forget_contents(self, stage: str) -> None:
        """Delete the results of a stage from the graph."""
        self._stored.forget_contents(self.work, stage)

    def join(self) -> None:
        """Join the clients of the work; the first one deletes what earlier clients left behind."""
        if self._presence.id in self._held:
            return
        if not self._has_others():
            self._stored.forget(self.work)
        self._stored.claim(self._presence, self._client, lease=self._lease)
        self._held.add(self._presence.id)

    def leave(self) -> None:
        """Leave the clients of the work; the last one deletes the parts."""
        if self._presence.id not in self._held:
            return
        self._held.discard(self._presence.id)
        self._stored.release([self._presence.id], self._client)
        if not self._has_others():
            self._stored.forget(self.work)

    def _has_others(self) -> bool:
        return any(map(self._is_held, self._stored.states(self.work, CLIENTS).values()))

    @property
    def _presence(self) -> PartPlace:
        return PartPlace(f"{self.work}|{CLIENTS}|{self._client}", self.work, CLIENTS, 1)

    def __enter__(self) -> Self:
        self._beating = Thread(target=self._beat, name="kbe-parts", daemon=True)
        self._beating.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Release the parts held."""
        self._ended.set()
        self._beating.join()
        with suppress(KbeError):
            self._stored.release(sorted(self._held), self._client)

    def _beat(self) -> None:
        while not self._ended.wait(self._lease / BEATS):
            if self._held:
                with suppress(KbeError):  # the next heartbeat may succeed; otherwise the parts are taken over
                    self._stored.renew(sorted(self._held), self._client)

    def _count(self, stage: str) -> int:
        counts = {state.shards for state in self._stored.states(self.work, stage).values()}
        own = self.shard.count if self.shard else None
        if own is None:
            return max(counts, default=1)
        if counts - {own}:
            cut = max(counts)
            what = f"in shards of {cut}" if cut > 1 else "without `shard`"
            raise ConfigError(
                f"other processes {self.work.replace(' ', ' run ', 1)} {what}; give 1/{cut} as `shard`, or none"
            )
        return own

    def _cut(self, stage: Stage[T, Any, Any], items: Sequence[T], count: int) -> Iterator[WorkPart[T]]:
        for index in range(1, count + 1):
            shard = Shard(index, count)
            own = [item for item in items if shard.holds(stage.item_id(item))]
            for done, batch in batches(own, stage.size):
                id_ = f"{self.work}|{stage.name}|{index}/{count}|{done:08}|{_digest(map(stage.item_id, batch))}"
                yield WorkPart(PartPlace(id_, self.work, stage.name, count), batch, shard)

    def _may_take(self, part: WorkPart[T]) -> bool:
        return self.shard is None or part.shard == self.shard

    async def _work(self, stage: _State[T], sizes: Mapping[str, int]) -> None:
        self.is_done = False
        while True:
            part = await asyncio.to_thread(self._next, stage)
            stage.progress(sum(sizes[id_] for id_ in stage.finished & sizes.keys()))
            if part is not None:
                await self._do(stage, part)
                continue
            missing = stage.left
            if not missing or stage.busy:  # the lane that is still busy checks again
                self.is_done = not missing
                return
            if stage.awaited and all(part.place.id in stage.awaited for part in missing):
                raise next(iter(stage.awaited.values()))
            if stage.idle > self._patience:
                raise PartsAwaited(sorted({f"{part.shard.index}/{part.shard.count}" for part in missing}))
            await asyncio.sleep(self._pause)
            stage.idle += self._pause

    async def _do(self, stage: _State[T], part: WorkPart[T]) -> None:
        id_ = part.place.id
        try:
            content = await stage.do(part.items)
        except ReplyAwaited as error:
            stage.awaited[id_] = error  # this client keeps the part, as it has asked
        else:
            if await asyncio.to_thread(self._stored.finish, id_, self._client, content):
                stage.finished.add(id_)
            self._held.discard(id_)
        finally:
            stage.busy.discard(id_)

    def _next(self, stage: _State[T]) -> WorkPart[T] | None:
        with self._looking:
            states = self._states(stage)
            free = [part for part in stage.left if self._is_free(stage, part, states)]
            random.shuffle(free)  # so that simultaneous clients try different parts
            for part in free:
                if not self._stored.claim(part.place, self._client, lease=self._lease):
                    continue
                stage.idle = 0.0
                self._held.add(part.place.id)
                if not stage.has_claimed and stage.is_over():
                    stage.over = True
                    self._stored.forget(self.work)
                    return None
                stage.has_claimed = True
                stage.busy.add(part.place.id)
                return part
            return None

    def _states(self, stage: _State[T]) -> Mapping[str, PartState]:
        states = self._stored.states(self.work, stage.parts[0].place.stage) if stage.parts else {}
        stage.finished |= {id_ for id_, state in states.items() if state.done}
        if stage.begun - states.keys() and stage.is_over():
            stage.over = True
        stage.begun |= states.keys()
        if any(map(self._is_held, states.values())):
            stage.idle = 0.0
        return states

    def _is_held(self, state: PartState) -> bool:
        return bool(state.client) and not state.done and state.heard < self._lease

    def _is_free(self, stage: _State[T], part: WorkPart[T], states: Mapping[str, PartState]) -> bool:
        id_ = part.place.id
        if id_ in stage.busy or id_ in stage.awaited or not self._may_take(part):
            return False
        state = states.get(id_)
        return state is None or state.client in {"", self._client} or state.heard > self._lease


def _digest(names: Collection[str] | Iterator[str]) -> str:
    return sha256("\n".join((__version__, *names)).encode()).hexdigest()[:16]
