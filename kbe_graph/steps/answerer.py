"""Model answers and verdicts on answers: the steps ``answer``, ``answer_blind`` and ``judge``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kbe_graph.errors import NoCandidate
from kbe_graph.steps.asker import REPLY, Asker, StepRequest, step_request
from kbe_graph.steps.forms import JudgeForm, read_form
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.text import on_one_line
from kbe_graph.types import Sample

JUDGE_BATCH = 20
TOKENS_A_JUDGEMENT = 16


class Judgeable(NamedTuple):
    """Answer to judge, with its question, the right answer and its aliases."""

    question: str
    right: str
    aliases: tuple[str, ...]
    answer: str


def render_judge(answers: Sequence[Judgeable], *, as_paper: bool = False) -> StepRequest:
    """Render the request for verdicts on answers to questions about one image.

    With ``as_paper`` the judge sees neither the questions nor the image (KBE, section 4.1).
    """
    lines = {
        f"{number} {label}:": text
        for number, judgeable in enumerate(answers, 1)
        for label, text in _lines(judgeable, as_paper=as_paper)
    }
    most = 20 + TOKENS_A_JUDGEMENT * len(answers)
    step = "judge_paper" if as_paper else "judge"
    return step_request(step, JudgeForm, sees_image=not as_paper, max_tokens=most, answers=lines)


def _lines(judgeable: Judgeable, *, as_paper: bool) -> tuple[tuple[str, str], ...]:
    right = judgeable.right + (f" (also: {', '.join(judgeable.aliases)})" if judgeable.aliases else "")
    if as_paper:
        return ("reference", right), ("response", judgeable.answer)
    return ("question", judgeable.question), ("right answer", right), ("answer", judgeable.answer)


def parse_judge(reply: StepReply, count: int) -> list[bool]:
    """Parse the verdicts on answers 1 to ``count``, in order.

    An answer judged both right and wrong counts as wrong. Raises ReplyError if a verdict is missing, a number is out of
    range, or there are several lists: verdicts are never made up.
    """
    reply.refuse_several("verdicts")
    form = read_form(JudgeForm, reply)
    right: dict[int, bool] = {}
    for verdict in form.verdicts:
        right[verdict.n] = verdict.right and right.get(verdict.n, True)
    if set(right) != set(range(1, count + 1)):
        raise reply.error(f"{count} answers to judge, found verdicts on those numbered {sorted(right)!r}")
    return [right[number] for number in range(1, count + 1)]


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Judge that asks a model whether answers are right; with ``as_paper`` it sees neither question nor image."""

    asker: Asker
    as_paper: bool = False

    async def __call__(self, sample: Sample, answers: Sequence[Judgeable]) -> list[bool] | None:
        """Judge each answer to questions about a sample's image; None if the reply is unusable."""
        step = render_judge(answers, as_paper=self.as_paper)
        try:
            verdicts, _ = await self.asker.ask(
                step, lambda reply: parse_judge(reply, len(answers)), None if self.as_paper else sample
            )
        except NoCandidate:
            return None
        return verdicts


LONGEST = 256  # tokens of a reply
MOST = 20_000  # characters kept of a reply, including its thoughts
SILENT = tuple(f"{REPLY}{kind}" for kind in ("refused", "filtered", "empty"))
_BORDER = re.compile(r"<<<|>>>")


class ModelAnswer(NamedTuple):
    """Model's reply and the number of tokens it generated (None: not counted).

    The reply is empty if ``declined`` is set: ``refused`` (by the model or the endpoint's content filter) or ``empty``.
    """

    text: str
    tokens: int | None = None
    declined: str = ""


def render_answer(text: str, *, sees_image: bool = True) -> StepRequest:
    """Render the request for a short answer to a question (KBE, section 4.1)."""
    step = "answer" if sees_image else "answer_blind"
    return step_request(step, None, sees_image=sees_image, max_tokens=LONGEST, question=text)


def parse_answer(reply: StepReply) -> str:
    """Clean a reply of prompt borders and control characters; raises ReplyError if nothing is left."""
    lines = (on_one_line(line) for line in _BORDER.sub("", reply.text).splitlines())
    text = "\n".join(lines).strip()[:MOST]
    if not text:
        raise reply.error("the reply is empty", kind="empty")
    return text


@dataclass(frozen=True, slots=True)
class ModelAnswerer:
    """Answerer that asks a model."""

    asker: Asker

    async def __call__(
        self, text: str, sample: Sample, *, sees_image: bool = True, draw: int = 0
    ) -> ModelAnswer | None:
        """Answer a question, with empty text if the model declined; None if the reply or a required image is missing.

        ``draw`` distinguishes several answers to the same question.
        """
        step = render_answer(text, sees_image=sees_image)
        try:
            answer, reply = await self.asker.reply(step, parse_answer, sample, draw=draw)
        except NoCandidate as none:
            if none.reason not in SILENT:
                return None
            return ModelAnswer("", declined="empty" if none.reason == f"{REPLY}empty" else "refused")
        return ModelAnswer(answer, reply.usage.output or None)
