"""Text operations whose words a model writes; it sees the question, its answer and all accepted answers."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kbe_graph.errors import NoCandidate
from kbe_graph.forms.paraphrase import ModelParaphraser
from kbe_graph.models.loop import gather_all
from kbe_graph.perturb.operation import NotEligible, Original, Rewritten, Step, TextOperation
from kbe_graph.perturb.text_check import CONTEXT, guarded
from kbe_graph.perturb.text_operations import IrrelevantContext, ParaphraseByRule, RelevantContext
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.perturb import ContextWriter

if TYPE_CHECKING:
    import numpy as np

Write = Callable[[Original], Awaitable[Step]]
STEPS: Mapping[str, str] = {
    ParaphraseByRule.name: "paraphrase",
    RelevantContext.name: "context_relevant",
    IrrelevantContext.name: "context_irrelevant",
}
"""The steps of the method, by operation."""


@dataclass(frozen=True, slots=True)
class WordsByModel(TextOperation):
    """An operation with the steps that a model wrote, by question id; ``faults`` holds the reasons for missing ones."""

    name: str
    steps: Mapping[str, Step]
    faults: Mapping[str, str]
    is_drawn: bool = False
    is_default: bool = False

    def refuse(self, original: Original) -> str:
        """Explain why the model's words were unusable; empty if they were usable."""
        return self.faults.get(original.question.id, "")

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Use the model's words, or put its context before a text already rewritten; raises NotEligible."""
        del rng
        step = self.steps.get(original.question.id)
        if step is None:
            raise NotEligible("the model gave no words")
        if CONTEXT in step:
            return Rewritten(f"{step[CONTEXT]} {text}", step)
        if text != original.question.text:
            raise NotEligible("a model paraphrases the question itself; name paraphrase first")
        return Rewritten(step["text"], step)


async def ask_words(asker: Asker, name: str, originals: Sequence[Original]) -> WordsByModel:
    """Have a model write the words of an operation for all questions, recording why some have none."""
    steps, faults = dict[str, Step](), dict[str, str]()
    write = _writer(asker, name)

    async def ask(original: Original) -> None:
        try:
            steps[original.question.id] = await write(original)
        except NoCandidate as reason:
            faults[original.question.id] = reason.reason

    await gather_all(map(ask, originals))
    return WordsByModel(name, steps, faults)


def _writer(asker: Asker, name: str) -> Write:
    paraphraser, contexts = ModelParaphraser(asker), ContextWriter(asker)

    async def paraphrase(original: Original) -> Step:
        again = await paraphraser(original.question.text, tuple(guarded(original)))
        return {"operation": name, "text": again.text, "maker": again.rule}

    async def context(original: Original) -> Step:
        question = original.question
        values = question.text, question.answer, original.accepted, original.sample
        sentence, origin = await contexts(*values, is_relevant=name == RelevantContext.name)
        return {"operation": name, CONTEXT: sentence, "maker": f"model {origin.model}", "call": origin.call}

    return paraphrase if name == ParaphraseByRule.name else context
