"""Saving of a hop while the next one is explored, and the packing of outcomes sent between processes."""

import asyncio
import io
import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from functools import lru_cache
from operator import attrgetter
from typing import IO, Any, Self

from kbe_graph.checks.guessable import Choice, DrawEntry
from kbe_graph.errors import StoreError
from kbe_graph.evolve.exploration import DecidedFact, Exploration, Option
from kbe_graph.evolve.plan import Plan
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.seeds import seed_of
from kbe_graph.store import Evolved, Store
from kbe_graph.store.nodes import CandidateRow, StoredGuess, StoredInspection
from kbe_graph.text import fold
from kbe_graph.types import (
    Alternative,
    Decision,
    Entity,
    Fact,
    Guess,
    Inspection,
    Provenance,
    Question,
    Triplet,
    question_id,
)

EXPLORED = (Exploration, DecidedFact, Option, DrawEntry, Fact, ProposedFact, Decision)
ASKED = (Evolved, Question, Triplet, Entity, Provenance, Inspection, StoredInspection, Guess, StoredGuess, Alternative)
KINDS: dict[tuple[str, str], type] = {(kind.__module__, kind.__name__): kind for kind in (*EXPLORED, *ASKED)}


def dumps(values: Sequence[Any]) -> bytes:
    """Serialise values to bytes."""
    stream = io.BytesIO()
    _dump(values, stream)
    return stream.getvalue()


def loads(content: bytes) -> Any:
    """Deserialise the output of ``dumps``; raises StoreError if it contains other types."""
    return _load(io.BytesIO(content))


def _dump(values: Sequence[Any], stream: IO[bytes]) -> None:
    _Pickler(stream, pickle.HIGHEST_PROTOCOL).dump(list(values))


def _load(stream: IO[bytes]) -> Any:
    return _Unpickler(stream).load()


class _Pickler(pickle.Pickler):
    """Pickler that serialises a frozen dataclass by its fields, three times faster than the dataclass does itself."""

    def reducer_override(self, value: Any) -> Any:
        """Reduce a dataclass with several fields to its class and arguments."""
        parts = _parts(type(value))  # type: ignore[arg-type]  # a class is hashable
        return (type(value), parts(value)) if parts else NotImplemented


@lru_cache(64)
def _parts(kind: type) -> Callable[[object], Any] | None:
    """Build a getter for a dataclass's values; None for one with a single field and for other classes."""
    names = [part.name for part in fields(kind)] if is_dataclass(kind) else []
    return attrgetter(*names) if len(names) > 1 else None


class _Unpickler(pickle.Unpickler):
    """Unpickler limited to this program's classes, as others may have written the bytes in a graph."""

    def find_class(self, module: str, name: str) -> Any:
        """Look up the class of a value."""
        if (module, name) not in KINDS:
            raise StoreError(
                f"the saved work of a run contains a {module}.{name}, which is not allowed; forget the run, "
                "then run it again"
            )
        return KINDS[module, name]


def pack_explorations(explorations: Sequence[Exploration]) -> bytes:
    """Serialise a batch: the options of each sample, in drawn order, followed by the explorations."""
    entries = {exploration.parent.sample: tuple(map(_seat, exploration.options)) for exploration in explorations}
    return dumps([entries]) + dumps(explorations)


def _seat(option: Option) -> DrawEntry:
    chain = tuple(triplet.relation for triplet in option.question.explored)
    return DrawEntry(fold(option.question.answer), chain, option.onward, option.unsourced)


class Explorations:
    """All explorations of a hop, in order of arrival, read back in batches.

    Memory holds each sample's options, in drawn order, because the share of one answer is a property of the whole run;
    the rest is in the file, so that memory does not grow with the candidates.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.entries: dict[str, tuple[DrawEntry, ...]] = {}
        self._file = file
        self._places: list[int] = []
        self._latest: dict[str, int] = {}

    async def add(self, content: bytes) -> None:
        """Add a packed batch, which replaces earlier explorations of its samples."""
        stream = io.BytesIO(content)
        for sample, entries in _load(stream)[0].items():
            self._latest[sample] = len(self._places)
            self.entries.pop(sample, None)
            if entries:
                self.entries[sample] = entries
        self._places.append(self._file.seek(0, os.SEEK_END))
        self._file.write(content[stream.tell() :])

    def batches(self) -> Iterator[list[Exploration]]:
        """Yield the batches."""
        for number, place in enumerate(self._places):
            self._file.seek(place)
            batch = _load(self._file)
            yield [each for each in batch if self._latest[each.parent.sample] == number]


@contextmanager
def open_explorations() -> Iterator[Explorations]:
    """Yield an empty collection whose file is deleted at the end."""
    with tempfile.TemporaryFile() as file:
        yield Explorations(file)


class SavedHop:
    """Questions of a hop being written to the graph in batches, each built while the previous one is written.

    ``kept`` are the samples with a question to explore from. The next hop starts with those already written, and
    chooses among its own questions when all are written. ``opened``, the source of the batches, is closed at the end.
    Leaving the block waits for all batches or, if cancelled, for the current one.
    """

    def __init__(
        self,
        store: Store,
        batches: Iterable[Sequence[Evolved]] = (),
        kept: Iterable[str] = (),
        opened: ExitStack | None = None,
    ) -> None:
        self.kept = frozenset(kept)
        self._unsaved = set(self.kept)
        self._more = asyncio.Condition()
        self._writing = asyncio.ensure_future(self._write(store, iter(batches), opened or ExitStack()))

    async def __aenter__(self) -> Self:
        """Enter the block; leaving it waits until everything is written."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Wait until everything is written, unless the block was cancelled; raises write errors."""
        if kind is asyncio.CancelledError:
            self._writing.cancel()
        await self.all()

    async def all(self) -> None:
        """Wait until every question is in the graph; raises write errors."""
        await asyncio.shield(self._writing)

    async def of(self, samples: Sequence[str]) -> None:
        """Wait until the questions of ``samples`` are in the graph; raises write errors."""
        async with self._more:
            await self._more.wait_for(lambda: self._unsaved.isdisjoint(samples))
        if self._writing.done():
            await self.all()

    async def _write(self, store: Store, batches: Iterator[Sequence[Evolved]], opened: ExitStack) -> None:
        async def save(batch: Sequence[Evolved]) -> None:
            await asyncio.to_thread(store.save_questions, batch)
            await self._tell(each.question.sample for each in batch)

        try:
            with opened:
                batch = await asyncio.to_thread(next, batches, None)
                while batch is not None:
                    _, batch = await asyncio.gather(save(batch), asyncio.to_thread(next, batches, None))
        finally:
            await self._tell(self.kept)  # release waiters for questions that will not be written

    async def _tell(self, samples: Iterable[str]) -> None:
        async with self._more:
            self._unsaved.difference_update(samples)
            self._more.notify_all()


def outcome(exploration: Exploration, plan: Plan, hop: int, choice: Choice | None) -> Evolved:
    """Build the chosen option's question or a dropped one, with the outcome of each candidate."""
    alternatives: tuple[Alternative, ...] = ()
    if not isinstance(choice, int):
        reason = choice.reason if choice else exploration.reason
        question, place = _dropped(exploration.parent, plan, hop, reason), None
    else:
        option = exploration.options[choice]
        question, place, alternatives = option.question, option.place, option.alternatives
    rows = _rows(exploration, place)
    return Evolved(question, rows, guesses=exploration.guesses, alternatives=alternatives)


def _dropped(parent: Question, plan: Plan, hop: int, reason: str) -> Question:
    return Question(
        id=question_id(parent.sample, plan.run.name, hop),
        sample=parent.sample,
        run=plan.run.name,
        hop=hop,
        kind="explored",
        text="",
        answer="",
        key=(),
        parent=parent.id,
        provenance=Provenance("rule", seed_of(plan.run.seed, parent.sample, hop)),
        status="dropped",
        reason=reason,
    )


def _rows(exploration: Exploration, taken: int | None) -> tuple[CandidateRow, ...]:
    return tuple(_row(decided_fact, drawn=place == taken) for place, decided_fact in enumerate(exploration.decided))


def _row(decided_fact: DecidedFact, *, drawn: bool) -> CandidateRow:
    fact, decision = decided_fact.fact, decided_fact.decision
    return CandidateRow(
        relation=fact.relation,
        object=fact.object,
        object_id=fact.object_id,
        status="kept" if drawn else "not drawn" if decision.keep else "dropped",
        reason=decision.reason,
        detail=decision.detail,
        source=fact.source,
        source_ref=fact.source_ref,
        faulty=decided_fact.faulty,
        subject=fact.subject,
        type=fact.type if isinstance(fact, ProposedFact) else "",
        grounding=fact.grounding if isinstance(fact, ProposedFact) else "",
    )
