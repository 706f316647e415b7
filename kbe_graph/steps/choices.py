"""Parts of other question forms from a model: ``choices``, ``also_right``, ``statement`` and ``other_right``."""

from collections.abc import Sequence
from dataclasses import dataclass

from kbe_graph.steps.answerer import TOKENS_A_JUDGEMENT, parse_judge
from kbe_graph.steps.asker import Asker, StepRequest, numbered_lines, step_request
from kbe_graph.steps.forms import AlsoRightForm, ChoicesForm, JudgeForm, StatementForm, read_form
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.text import on_one_line
from kbe_graph.types import Sample

MOST_TOKENS = 160


def render_choices(question: str, answer: str, accepted: Sequence[str], *, language: str = "English") -> StepRequest:
    """Render the request for wrong options for a question."""
    values = {"question": question, "answer": answer, "accepted": ", ".join(accepted), "language": language}
    return step_request("choices", ChoicesForm, sees_image=False, max_tokens=MOST_TOKENS, **values)


def parse_choices(reply: StepReply) -> tuple[str, ...]:
    """Parse the options without duplicates; raises ReplyError if there are none."""
    form = read_form(ChoicesForm, reply)
    if not form.options:
        raise reply.error("no options in the reply")
    return tuple(dict.fromkeys(map(on_one_line, form.options)))


def render_also_right(question: str, accepted: Sequence[str], *, language: str = "English") -> StepRequest:
    """Render the request for other right answers to a question."""
    values = {"question": question, "accepted": ", ".join(accepted), "language": language}
    return step_request("also_right", AlsoRightForm, sees_image=False, max_tokens=MOST_TOKENS, **values)


def parse_also_right(reply: StepReply) -> tuple[str, ...]:
    """Parse the other right answers without duplicates, possibly none; raises ReplyError."""
    return tuple(dict.fromkeys(map(on_one_line, read_form(AlsoRightForm, reply).answers)))


def render_statement(question: str, answer: str, *, language: str = "English") -> StepRequest:
    """Render the request to rewrite a question as a statement with a gap."""
    values = {"question": question, "answer": answer, "language": language}
    return step_request("statement", StatementForm, sees_image=False, max_tokens=MOST_TOKENS, **values)


def parse_statement(reply: StepReply) -> str:
    """Parse the statement, empty if the model wrote none; raises ReplyError."""
    return on_one_line(read_form(StatementForm, reply).statement)


def render_other_right(question: str, answer: str, wrong: Sequence[str]) -> StepRequest:
    """Render the request to say which supposedly wrong options may be right."""
    most = 20 + TOKENS_A_JUDGEMENT * len(wrong)
    options = numbered_lines(tuple(wrong))
    return step_request(
        "other_right", JudgeForm, sees_image=True, max_tokens=most, question=question, answer=answer, options=options
    )


@dataclass(frozen=True, slots=True)
class ModelChoices:
    """Generator that asks a model for the parts of another question form, one call per part.

    All methods raise NoCandidate if the reply is unusable; all but ``right`` also return the source.
    """

    asker: Asker

    async def options(self, question: str, answer: str, accepted: Sequence[str]) -> tuple[tuple[str, ...], str]:
        """Ask for wrong options."""
        step = render_choices(question, answer, accepted, language=self.asker.language)
        names, origin = await self.asker.ask(step, parse_choices)
        return names, f"model {origin.model}"

    async def also_right(self, question: str, accepted: Sequence[str]) -> tuple[tuple[str, ...], str]:
        """Ask for other right answers, of which there may be none."""
        names, origin = await self.asker.ask(
            render_also_right(question, accepted, language=self.asker.language), parse_also_right
        )
        return names, f"model {origin.model}"

    async def statement(self, question: str, answer: str) -> tuple[str, str]:
        """Ask for the question as a statement with a gap, empty if the model writes none."""
        step = render_statement(question, answer, language=self.asker.language)
        text, origin = await self.asker.ask(step, parse_statement)
        return text, f"model {origin.model}"

    async def right(self, sample: Sample, question: str, answer: str, options: Sequence[str]) -> frozenset[str]:
        """Find the options that may be right, according to a judge that sees the image.

        Also raises NoCandidate if the image is missing: options that were not judged are not kept.
        """
        step = render_other_right(question, answer, options)
        verdicts, _ = await self.asker.ask(step, lambda reply: parse_judge(reply, len(options)), sample)
        return frozenset(name for name, may_be in zip(options, verdicts, strict=True) if may_be)
