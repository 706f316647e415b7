"""What a second model says of the questions of one hop: each is shown to it before it is kept."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from kbe_graph.evolve.batches import batches
from kbe_graph.evolve.recipe import Inspector
from kbe_graph.models.loop import gather_all
from kbe_graph.steps.inspector import INSPECT_BATCH, Inspectable, refusal_of
from kbe_graph.types import KEEP, Decision, Inspection, Question

MOST_INSPECTED = 2  # questions of a sample that are shown in one hop


class Words(NamedTuple):
    """A question as it was worded."""

    id: str
    text: str
    answer: str


class Inspections:
    """What was said of the questions of a hop so far: nothing where there is no inspector.

    ``kept`` are the inspections that the graph holds of the hop: a call that would tell nothing else is not made. The
    calls themselves do not depend on them, so that a run that was cut off makes the same ones again.
    """

    def __init__(
        self, inspector: Inspector | None, kept: Mapping[Words, Inspection], *, batch: int = INSPECT_BATCH
    ) -> None:
        self._inspector, self._kept, self._batch = inspector, kept, batch
        self._inspections: dict[str, list[Inspection]] = {}
        self._refusals: dict[str, dict[Words, Decision]] = {}

    def refusal(self, question: Question) -> Decision:
        """Return why a question cannot be kept, KEEP where nothing is said against it.

        After as many refusals as questions may be shown, every other one is refused for the last one's reason.
        """
        refusals = self._refusals.get(question.id, {})
        if len(refusals) == MOST_INSPECTED:
            return refusals.get(_words(question), list(refusals.values())[-1])
        return refusals.get(_words(question), KEEP)

    def of(self, question: str) -> tuple[Inspection, ...]:
        """Return what was said of the questions of this id, in the order in which they were shown."""
        return tuple(self._inspections.get(question, ()))

    async def inspect(self, questions: Sequence[Inspectable]) -> set[str]:
        """Show the questions to the model; return the samples of those that it refused."""
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
