"""What is chosen from in a hop: all explorations, a second model's inspections of questions, and the outcome."""

import os
import pickle
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Self

from kbe_graph.checks.guessable import Choice, DrawEntry
from kbe_graph.evolve.blind_test import Words, words_of
from kbe_graph.evolve.evolution import Inspector
from kbe_graph.evolve.plan import Plan
from kbe_graph.models.loop import batches, gather_all
from kbe_graph.steps.asker import is_technical
from kbe_graph.steps.verifier import INSPECT_BATCH, Inspectable, refusal_of
from kbe_graph.store import Evolved, Store
from kbe_graph.store.nodes import CandidateRow
from kbe_graph.text import fold
from kbe_graph.types import (
    KEEP,
    Alternative,
    Decision,
    Guess,
    Inspection,
    Provenance,
    Question,
    Sample,
    question_id,
    seed_of,
)

MOST_INSPECTED = 4  # questions shown per sample and hop


@dataclass(frozen=True, slots=True)
class Option:
    """Possible question of the next hop, with the position of its candidate among those considered.

    ``onward`` is the number of hops that could follow it, ``unsourced`` says whether no source was opened for its last
    fact, and ``alternatives`` are other things that the image could show.
    """

    question: Question
    place: int
    onward: int = 0
    unsourced: bool = False
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class Exploration:
    """Possible next hops of one question: a row for each fact, and the options in drawn order.

    ``none`` is the knowledge source's reason for having no facts, if it gives one; ``unworded`` is why the last wording
    that was requested, or tested without the image, was rejected; ``guesses`` are the guesses at the wordings.
    """

    sample: Sample
    parent: Question
    rows: tuple[CandidateRow, ...]
    options: tuple[Option, ...] = ()
    none: str = ""
    unworded: str = ""
    guesses: tuple[Guess, ...] = ()

    @property
    def reason(self) -> str:
        """The reason for having no option: a technical one if there is one, else the last one on the way to a question.

        Technical reasons, an unusable reply or a missing image, may not recur.
        """
        reasons = [row.reason for row in self.rows if row.status == "dropped"]
        technical = next(filter(is_technical, reasons), "")
        return self.none or technical or self.unworded or (reasons[-1] if reasons else "no fact")


class Explorations:
    """All explorations of a hop, in order of arrival, read back in batches; a context manager.

    Memory holds each sample's options, in drawn order, because the share of one answer is a property of the whole run;
    the rest is in a temporary file, so that memory does not grow with the candidates.
    """

    def __init__(self) -> None:
        self.entries: dict[str, tuple[DrawEntry, ...]] = {}
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # closed at exit
        self._places: list[int] = []
        self._latest: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, batch: Sequence[Exploration]) -> None:
        """Add a batch, which replaces earlier explorations of its samples."""
        for exploration in batch:
            sample = exploration.parent.sample
            self._latest[sample] = len(self._places)
            self.entries.pop(sample, None)
            if exploration.options:
                self.entries[sample] = tuple(map(_entry, exploration.options))
        self._places.append(self._file.seek(0, os.SEEK_END))
        pickle.dump(batch, self._file, pickle.HIGHEST_PROTOCOL)

    def batches(self) -> Iterator[list[Exploration]]:
        """Yield the batches."""
        for number, place in enumerate(self._places):
            self._file.seek(place)
            batch: list[Exploration] = pickle.load(self._file)  # noqa: S301 - written by this process
            yield [each for each in batch if self._latest[each.parent.sample] == number]


def _entry(option: Option) -> DrawEntry:
    relations = tuple(triplet.relation for triplet in option.question.explored)
    return DrawEntry(fold(option.question.answer), relations, option.onward, option.unsourced)


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
            return refusals.get(words_of(question), list(refusals.values())[-1])
        return refusals.get(words_of(question), KEEP)

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
        words = [words_of(inspectable.question) for inspectable in batch]
        if self._kept.keys() >= set(words):
            return [self._kept[each] for each in words]
        return await ask(batch)

    def _is_refused(self, question: Question, outcome: Inspection | Decision) -> bool:
        if isinstance(outcome, Inspection):
            self._inspections.setdefault(question.id, []).append(outcome)
            outcome = refusal_of(outcome)
        if not outcome.keep:
            self._refusals.setdefault(question.id, {})[words_of(question)] = outcome
        return not outcome.keep


def read_inspections(store: Store, run: str, hop: int, inspector: Inspector | None) -> Inspections:
    """Load a hop's inspections from the graph, to resume from."""
    kept = store.inspections(run=run, hop=hop) if inspector else ()
    return Inspections(inspector, {Words(each.question, each.text, each.answer): each for each in kept})


def outcome(exploration: Exploration, plan: Plan, hop: int, choice: Choice | None) -> Evolved:
    """Build the chosen option's question or a dropped one, with the outcome of each candidate."""
    option = exploration.options[choice] if isinstance(choice, int) else None
    if option:
        question = option.question
    else:
        reason = choice.reason if isinstance(choice, Decision) else exploration.reason
        question = _dropped(exploration.parent, plan, hop, reason)
    taken = option.place if option else None
    rows = tuple(replace(row, status="kept") if n == taken else row for n, row in enumerate(exploration.rows))
    alternatives = option.alternatives if option else ()
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
