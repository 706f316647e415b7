"""Context sentences from a model (``context_relevant``, ``context_irrelevant``), and the judge ``judge_variant``."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kbe_graph.steps.asker import Asker, ReplyOrigin, StepRequest, step_request
from kbe_graph.steps.forms import ContextForm, VariantForm, read_form
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.text import on_one_line
from kbe_graph.types import Sample

MOST_TOKENS = 120
JUDGE_TOKENS = 60
PICTURE, WORDS = "picture", "words"


class VariantVerdict(NamedTuple):
    """Verdict of a judge on a variant: whether the answer is still right, and whether it is good English."""

    answer: bool
    english: bool


def render_context(
    question: str, answer: str, accepted: Sequence[str], *, is_relevant: bool, language: str = "English"
) -> StepRequest:
    """Render the request for a sentence before a question, about the same (shown) image or another one."""
    values = {"question": question, "answer": answer, "accepted": ", ".join(dict.fromkeys(accepted))}
    step = "context_relevant" if is_relevant else "context_irrelevant"
    return step_request(step, ContextForm, sees_image=is_relevant, max_tokens=MOST_TOKENS, **values, language=language)


def parse_context(reply: StepReply) -> str:
    """Parse the sentence; raises ReplyError if there is none or it is a question."""
    sentence = on_one_line(read_form(ContextForm, reply).sentence)
    if not sentence or "?" in sentence:
        raise reply.error("no sentence" if not sentence else "the sentence asks something")
    return sentence if sentence.endswith((".", "!")) else f"{sentence}."


def render_judge_variant(question: str, answer: str, variant: str, *, has_pictures: bool = False) -> StepRequest:
    """Render the request for the verdict on a variant, with the old and new images if they differ."""
    values = {"old": question, "answer": answer, "new": variant, "change": PICTURE if has_pictures else WORDS}
    return step_request("judge_variant", VariantForm, sees_image=has_pictures, max_tokens=JUDGE_TOKENS, **values)


def parse_judge_variant(reply: StepReply) -> VariantVerdict:
    """Parse the verdict; raises ReplyError."""
    form = read_form(VariantForm, reply)
    return VariantVerdict(form.answer, form.english)


@dataclass(frozen=True, slots=True)
class ContextWriter:
    """Writer that asks a model for a sentence before a question."""

    asker: Asker

    async def __call__(
        self, question: str, answer: str, accepted: Sequence[str], sample: Sample, *, is_relevant: bool
    ) -> tuple[str, ReplyOrigin]:
        """Write the sentence in one call, and return it with its origin; raises NoCandidate like ``Asker.ask``."""
        step = render_context(question, answer, accepted, is_relevant=is_relevant, language=self.asker.language)
        return await self.asker.ask(step, parse_context, sample)


@dataclass(frozen=True, slots=True)
class VariantJudge:
    """Judge that asks a model, not one under test, whether a variant still has its answer."""

    asker: Asker

    async def __call__(
        self, question: str, answer: str, variant: str, pictures: tuple[Path, Path] | None = None
    ) -> tuple[VariantVerdict, ReplyOrigin]:
        """Judge a variant in one call, with its images (old, new) if they differ.

        Raises NoCandidate if the reply is unusable: a variant without a verdict does not count.
        """
        step = render_judge_variant(question, answer, variant, has_pictures=pictures is not None)
        return await self.asker.ask(step, parse_judge_variant, pictures=pictures or ())
