"""Saving of a hop while the next one is explored."""

import asyncio
import os
import pickle
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, Self

from kbe_graph.checks.guessable import Choice, DrawEntry
from kbe_graph.evolve.exploration import DecidedFact, Exploration, Option
from kbe_graph.evolve.plan import Plan
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.seeds import seed_of
from kbe_graph.store import Evolved, Store
from kbe_graph.store.nodes import CandidateRow
from kbe_graph.text import fold
from kbe_graph.types import Alternative, Provenance, Question, question_id


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

    def add(self, batch: Sequence[Exploration]) -> None:
        """Add a batch, which replaces earlier explorations of its samples."""
        for exploration in batch:
            sample = exploration.parent.sample
            self._latest[sample] = len(self._places)
            self.entries.pop(sample, None)
            if exploration.options:
                self.entries[sample] = tuple(map(_seat, exploration.options))
        self._places.append(self._file.seek(0, os.SEEK_END))
        pickle.dump(batch, self._file, pickle.HIGHEST_PROTOCOL)

    def batches(self) -> Iterator[list[Exploration]]:
        """Yield the batches."""
        for number, place in enumerate(self._places):
            self._file.seek(place)
            batch: list[Exploration] = pickle.load(self._file)  # noqa: S301 - written by this process
            yield [each for each in batch if self._latest[each.parent.sample] == number]


def _seat(option: Option) -> DrawEntry:
    chain = tuple(triplet.relation for triplet in option.question.explored)
    return DrawEntry(fold(option.question.answer), chain, option.onward, option.unsourced)


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
