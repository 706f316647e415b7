"""Paraphrases and contexts by a model that is shown the question, the answer and all accepted answers."""

from dataclasses import dataclass

from kbe_graph.errors import NoCandidate
from kbe_graph.forms.paraphrase import ModelParaphraser
from kbe_graph.perturb.operation import NotEligible, Original, Rewritten
from kbe_graph.perturb.words.context import IrrelevantContext, RelevantContext
from kbe_graph.perturb.words.rephrase import ParaphraseByRule
from kbe_graph.perturb.words.text_check import CONTEXT, check_text, guarded
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.perturb import ContextWriter

BY_MODEL = (ParaphraseByRule.name, RelevantContext.name, IrrelevantContext.name)
"""The operations that a model can do as well as the rules."""


@dataclass(frozen=True, slots=True)
class ModelRewriter:
    """Does an operation on words by one call of a model.

    What it writes passes the checks of what rules write. What does not is no variant: the original never stands for it.
    """

    asker: Asker

    async def rewrite(self, operation: str, original: Original, text: str) -> Rewritten:
        """Rewrite a text by one of ``BY_MODEL``.

        Raises NotEligible, with the counted reason, where no reply can be used or a check refuses it. It begins with
        ``reply: `` or is ``no picture`` where the next call may help (``is_technical``).
        """
        try:
            if operation == ParaphraseByRule.name:
                rewritten = await self._paraphrase(original, text)
            else:
                rewritten = await self._context(operation, original, text)
        except NoCandidate as none:
            raise NotEligible(none.reason) from None
        check_text(rewritten.text, original, [rewritten.step])
        return rewritten

    async def _paraphrase(self, original: Original, text: str) -> Rewritten:
        again = await ModelParaphraser(self.asker)(text, tuple(guarded(original)))
        return Rewritten(again.text, {"operation": ParaphraseByRule.name, "by": again.rule})

    async def _context(self, operation: str, original: Original, text: str) -> Rewritten:
        sentence, origin = await ContextWriter(self.asker)(
            text,
            original.question.answer,
            tuple(guarded(original)),
            original.sample,
            is_relevant=operation == RelevantContext.name,
        )
        step = {"operation": operation, CONTEXT: sentence, "by": f"model {origin.model}"}
        return Rewritten(f"{sentence} {text}", step)
