"""Choice of each sample's question in a hop, with inspection by a second model before it is kept."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from kbe_graph.checks.guessable import Choice, choose
from kbe_graph.evolve.plan import revised_roots, with_root
from kbe_graph.evolve.recipe import Evolution, Inspector
from kbe_graph.evolve.saving import Explorations
from kbe_graph.models.loop import ask_in_batches, batches, gather_all
from kbe_graph.steps.verifier import INSPECT_BATCH, Inspectable, refusal_of
from kbe_graph.types import KEEP, Decision, Inspection, Question

MOST_INSPECTED = 4  # questions shown per sample and hop


class Words(NamedTuple):
    """Wording of a question."""

    id: str
    text: str
    answer: str


class Inspections:
    """Inspections of a hop's questions so far; none without an inspector.

    ``kept`` are the hop's inspections in the graph: a call that would repeat only these is skipped. The batches do not
    depend on them, so an interrupted run repeats the same calls.
    """

    def __init__(
        self, inspector: Inspector | None, kept: Mapping[Words, Inspection], *, batch: int = INSPECT_BATCH
    ) -> None:
        self._inspector, self._kept, self._batch = inspector, kept, batch
        self._inspections: dict[str, list[Inspection]] = {}
        self._refusals: dict[str, dict[Words, Decision]] = {}

    def refusal(self, question: Question) -> Decision:
        """Look up why a question cannot be kept; KEEP if there is no objection.

        After the maximum number of rejections, every other question is rejected for the last one's reason.
        """
        refusals = self._refusals.get(question.id, {})
        if len(refusals) == MOST_INSPECTED:
            return refusals.get(_words(question), list(refusals.values())[-1])
        return refusals.get(_words(question), KEEP)

    def of(self, question: str) -> tuple[Inspection, ...]:
        """List the inspections of a question ID, in the order in which they were made."""
        return tuple(self._inspections.get(question, ()))

    async def inspect(self, questions: Sequence[Inspectable]) -> set[str]:
        """Show the questions to the model; return the samples of those that it rejected."""
        if self._inspector is None:
            return set()
        asked = (self._outcomes(self._inspector, batch) for _, batch in batches(questions, self._batch))
        outcomes = chain.from_iterable(await gather_all(asked))
        pairs = zip((inspectable.question for inspectable in questions), outcomes, strict=True)
        return {question.sample for question, outcome in pairs if self._is_refused(question, outcome)}

    async def _outcomes(self, ask: Inspector, batch: Sequence[Inspectable]) -> Sequence[Inspection | Decision]:
        words = [_words(inspectable.question) for inspectable in batch]
        if self._kept.keys() >= set(words):
            return [self._kept[each] for each in words]
        return await ask(batch)

    def _is_refused(self, question: Question, outcome: Inspection | Decision) -> bool:
        if isinstance(outcome, Inspection):
            self._inspections.setdefault(question.id, []).append(outcome)
            outcome = refusal_of(outcome)
        if not outcome.keep:
            self._refusals.setdefault(question.id, {})[_words(question)] = outcome
        return not outcome.keep


def _words(question: Question) -> Words:
    return Words(question.id, question.text, question.answer)


def read_inspections(evolution: Evolution, hop: int) -> Inspections:
    """Load the hop's inspections from the graph, to resume from."""
    inspector = evolution.recipe.inspector
    kept = evolution.store.inspections(run=evolution.run, hop=hop) if inspector else ()
    return Inspections(inspector, {Words(each.question, each.text, each.answer): each for each in kept})


@dataclass(frozen=True, slots=True)
class SecondLook:
    """Choice among the explorations of a hop, in which a question that a second model rejects is replaced by another.

    ``explore`` explores samples again once their rejections are known.
    """

    evolution: Evolution
    explorations: Explorations
    inspections: Inspections
    explore: Callable[[Sequence[str]], Awaitable[None]]
    stage: str

    async def choose(self) -> dict[str, Choice]:
        """Choose the position of each sample's question, or the reason why it has none."""
        shares = self.evolution.plan.shares
        chosen = shown = choose(self.explorations.entries, shares)
        while refused := await self._refused(shown):
            await self.explore(sorted(refused))
            places = {sample: choice for sample, choice in chosen.items() if isinstance(choice, int)}
            entries = self.explorations.entries
            staying = {
                sample: entries[sample][place : place + 1] for sample, place in places.items() if sample not in refused
            }
            again = choose(staying | {sample: entries[sample] for sample in refused & entries.keys()}, shares)
            kept = {sample: places[sample] if again[sample] == 0 else again[sample] for sample in staying}
            shown = {sample: again[sample] for sample in refused & again.keys()}
            chosen = {sample: choice for sample, choice in chosen.items() if sample not in refused} | kept | shown
        return chosen

    async def _refused(self, chosen: Mapping[str, Choice]) -> set[str]:
        refused: set[str] = set()
        if not self.evolution.recipe.inspector:
            return refused

        async def inspect(shown: Sequence[Inspectable]) -> None:
            refused.update(await self.inspections.inspect(shown))

        await ask_in_batches(
            self._questions(chosen),
            lambda questions: asyncio.to_thread(self._inspectables, questions),
            inspect,
            total=len(chosen),
            stage=f"{self.stage}, second look",
            progress=self.evolution.progress,
        )
        return refused

    def _questions(self, chosen: Mapping[str, Choice]) -> Iterator[tuple[int, list[Question]]]:
        count = 0
        for batch in self.explorations.batches():
            places = ((exploration, chosen.get(exploration.parent.sample)) for exploration in batch)
            questions = [exploration.options[place].question for exploration, place in places if isinstance(place, int)]
            count += len(questions)
            yield count, questions

    def _inspectables(self, questions: Sequence[Question]) -> list[Inspectable]:
        store, roots = self.evolution.store, revised_roots(self.evolution.store, questions)
        read = store.samples(ids=[question.sample for question in questions])
        samples = {sample.id: with_root(sample, roots.get(sample.id)) for sample in read}
        return [Inspectable(samples[question.sample], question) for question in questions]
