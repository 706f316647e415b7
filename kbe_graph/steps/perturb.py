"""A sentence before a question by a model (``context_relevant``, ``context_irrelevant``), and ``judge_variant``."""

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
    """The verdict of a judge on a variant: whether the answer is still right, and its words are good English."""

    answer: bool
    english: bool


def render_context(
    question: str, answer: str, accepted: Sequence[str], *, is_relevant: bool, language: str = "English"
) -> StepRequest:
    """Render the request for a sentence before a question: of the same picture, which is shown, or of another one."""
    values = {"question": question, "answer": answer, "accepted": ", ".join(dict.fromkeys(accepted))}
    step = "context_relevant" if is_relevant else "context_irrelevant"
    return step_request(step, ContextForm, sees_image=is_relevant, max_tokens=MOST_TOKENS, **values, language=language)


def parse_context(reply: StepReply) -> str:
    """Parse the sentence; raises ReplyError if there is none, or it asks something."""
    sentence = on_one_line(read_form(ContextForm, reply).sentence)
    if not sentence or "?" in sentence:
        raise reply.error("no sentence" if not sentence else "the sentence asks something")
    return sentence if sentence.endswith((".", "!")) else f"{sentence}."


def render_judge_variant(question: str, answer: str, variant: str, *, has_pictures: bool = False) -> StepRequest:
    """Render the request for the verdict on a variant; with the pictures before and after where these differ."""
    values = {"old": question, "answer": answer, "new": variant, "change": PICTURE if has_pictures else WORDS}
    return step_request("judge_variant", VariantForm, sees_image=has_pictures, max_tokens=JUDGE_TOKENS, **values)


def parse_judge_variant(reply: StepReply) -> VariantVerdict:
    """Parse the verdict; raises ReplyError."""
    form = read_form(VariantForm, reply)
    return VariantVerdict(form.answer, form.english)


@dataclass(frozen=True, slots=True)
class ContextWriter:
    """Asks a model for a sentence before a question."""

    asker: Asker

    async def __call__(
        self, question: str, answer: str, accepted: Sequence[str], sample: Sample, *, is_relevant: bool
    ) -> tuple[str, ReplyOrigin]:
        """Return the sentence with its origin, by one call; raises NoCandidate as ``Asker.ask`` does."""
        step = render_context(question, answer, accepted, is_relevant=is_relevant, language=self.asker.language)
        return await self.asker.ask(step, parse_context, sample)


@dataclass(frozen=True, slots=True)
class VariantJudge:
    """Asks a model, which is none of those under test, whether a variant still has its answer."""

    asker: Asker

    async def __call__(
        self, question: str, answer: str, variant: str, pictures: tuple[Path, Path] | None = None
    ) -> tuple[VariantVerdict, ReplyOrigin]:
        """Judge a variant by one call, with its pictures (old, new) where they differ.

        Raises NoCandidate where no reply can be used: a variant without a verdict does not count.
        """
        step = render_judge_variant(question, answer, variant, has_pictures=pictures is not None)
        return await self.asker.ask(step, parse_judge_variant, pictures=pictures or ())
