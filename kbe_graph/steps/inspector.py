"""Seven verdicts on written questions by a second model, as people give them: the step ``inspect``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kbe_graph.errors import NoCandidate
from kbe_graph.steps.asker import Asker, StepRequest, refusal_of_reply, step_request, triplet_text
from kbe_graph.steps.forms import InspectForm, read_form
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.types import KEEP, VERDICTS, Decision, Inspection, Question, Sample, Triplet

TOKENS_A_QUESTION = 70
REASONS: Mapping[str, str] = {
    "fact": "verdict: wrong fact",
    "grammar": "verdict: bad grammar",
    "no_leak": "verdict: leak",
    "path": "verdict: odd path",
    "one_answer": "verdict: other answers",
    "image_needed": "verdict: no image needed",
    "publish": "verdict: not fit to publish",
}
"""The reason that a no to each verdict is counted by."""


def is_verdict(reason: str) -> bool:
    """Whether a question was dropped for a verdict of a second model."""
    return reason in REASONS.values()


class Inspectable(NamedTuple):
    """A question with the sample that it grew from."""

    sample: Sample
    question: Question


def render_inspect(questions: Sequence[Inspectable], *, language: str = "English") -> StepRequest:
    """Render the request for the verdicts on questions of many samples, text only."""
    lines = {
        f"{number} {label}:": text
        for number, inspectable in enumerate(questions, 1)
        for label, text in _texts(*inspectable).items()
    }
    most = 20 + TOKENS_A_QUESTION * len(questions)
    return step_request("inspect", InspectForm, sees_image=False, max_tokens=most, questions=lines, language=language)


def _texts(sample: Sample, question: Question) -> Mapping[str, str | Sequence[str]]:
    also = f" (also: {', '.join(question.aliases)})" if question.aliases else ""
    return {
        "raw question": sample.question,
        "raw answer": sample.answer,
        "question": question.text,
        "answer": question.answer + also,
        "path": tuple(map(_sourced, question.key)),
    }


def _sourced(triplet: Triplet) -> str:
    return f"{triplet_text(triplet)} from {triplet.source or 'the benchmark'}"


def parse_inspect(reply: StepReply, count: int) -> list[tuple[str, ...]]:
    """Parse the verdicts that are yes of questions 1 to ``count``, in order.

    A verdict that is missing, or there as yes and as no, is a no. Raises ReplyError if more than half of the questions
    are missing, one has another number, or there are several lists.
    """
    reply.refuse_several("questions")
    form = read_form(InspectForm, reply)
    yes: dict[int, set[str]] = {}
    for inspection in form.questions:
        yes[inspection.n] = inspection.yes & yes.get(inspection.n, inspection.yes)
    if 2 * len(yes) < count or not set(yes) <= set(range(1, count + 1)):
        raise reply.error(f"{count} questions asked about, found those numbered {sorted(yes)!r}")
    return [tuple(verdict for verdict in VERDICTS if verdict in yes.get(number, ())) for number in range(1, count + 1)]


def refusal_of(inspection: Inspection) -> Decision:
    """Refuse a question by its first no, or keep it."""
    if not inspection.no:
        return KEEP
    return Decision(keep=False, reason=REASONS[inspection.no[0]], detail=f"no to {', '.join(inspection.no)}")


INSPECT_BATCH = 10


@dataclass(frozen=True, slots=True)
class ModelInspector:
    """Asks a model for the seven verdicts on questions."""

    asker: Asker

    async def __call__(self, questions: Sequence[Inspectable]) -> Sequence[Inspection | Decision]:
        """Inspect the questions by one call; each is refused if the reply cannot be used."""
        step = render_inspect(questions, language=self.asker.language)
        try:
            verdicts, origin = await self.asker.ask(step, lambda reply: parse_inspect(reply, len(questions)))
        except NoCandidate as none:
            return [refusal_of_reply(none)] * len(questions)
        return [
            Inspection(question.text, question.answer, yes, origin.model, origin.prompt, origin.call)
            for (_, question), yes in zip(questions, verdicts, strict=True)
        ]
