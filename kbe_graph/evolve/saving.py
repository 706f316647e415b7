"""What the graph keeps of a hop, written while the next one begins."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Self

from kbe_graph.checks.guessable import Choice
from kbe_graph.evolve.exploration import Exploration, Fate
from kbe_graph.evolve.plan import Plan
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.seeds import seed_of
from kbe_graph.store import Evolved, Store
from kbe_graph.store.rows import CandidateRow
from kbe_graph.types import Provenance, Question, question_id


class SavedHop:
    """The questions of a hop on their way into the graph, a batch at a time, each made while the one before is written.

    ``kept`` are the samples that have a question to go on from. The next hop begins with those that are there, and
    decides among its own questions when all are. What the batches are read from, ``opened``, is closed at the end.
    Leaving the block waits for all; where it was cancelled, for the batch at hand.
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
        """Begin; what is written is waited for when the block is left."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Wait until all is written, unless the block was cancelled; raises what writing raised."""
        if kind is asyncio.CancelledError:
            self._writing.cancel()
        await self.all()

    async def all(self) -> None:
        """Wait until every question is in the graph; raises what writing raised."""
        await asyncio.shield(self._writing)

    async def of(self, samples: Sequence[str]) -> None:
        """Wait until the questions of samples are in the graph; raises what writing raised."""
        async with self._more:
            await self._more.wait_for(lambda: self._unsaved.isdisjoint(samples))
        if self._writing.done():
            await self.all()

    async def _write(self, store: Store, batches: Iterator[Sequence[Evolved]], opened: ExitStack) -> None:
        try:
            with opened:
                batch = await asyncio.to_thread(next, batches, None)
                while batch is not None:
                    _, batch = await asyncio.gather(self._save(store, batch), asyncio.to_thread(next, batches, None))
        finally:
            await self._tell(self.kept)  # nobody waits for what is not written any more

    async def _save(self, store: Store, batch: Sequence[Evolved]) -> None:
        await asyncio.to_thread(store.save_questions, batch)
        await self._tell(each.question.sample for each in batch)

    async def _tell(self, samples: Iterable[str]) -> None:
        async with self._more:
            self._unsaved.difference_update(samples)
            self._more.notify_all()


def outcome(exploration: Exploration, plan: Plan, hop: int, choice: Choice | None) -> Evolved:
    """Return the option of the place that was chosen, or a dropped question, with what became of each candidate."""
    if not isinstance(choice, int):
        reason = choice.reason if choice else exploration.reason
        question, place = _dropped(exploration.parent, plan, hop, reason), None
    else:
        option = exploration.options[choice]
        question, place = option.question, option.place
    return Evolved(question, _rows(exploration, place))


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
    return tuple(_row(fate, drawn=place == taken) for place, fate in enumerate(exploration.fates))


def _row(fate: Fate, *, drawn: bool) -> CandidateRow:
    fact, decision = fate.fact, fate.decision
    return CandidateRow(
        relation=fact.relation,
        object=fact.object,
        object_id=fact.object_id,
        status="kept" if drawn else "not drawn" if decision.keep else "dropped",
        reason=decision.reason,
        detail=decision.detail,
        source=fact.source,
        source_ref=fact.source_ref,
        faulty=fate.faulty,
        subject=fact.subject,
        type=fact.type if isinstance(fact, ProposedFact) else "",
        grounding=fact.grounding if isinstance(fact, ProposedFact) else "",
    )
