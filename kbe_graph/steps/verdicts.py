"""Numbered yes and no: the steps ``representative``, ``verify`` and ``judge`` (KBE, sections 3.2 and 4.1)."""

from collections.abc import Sequence
from typing import NamedTuple

from kbe_graph.errors import ReplyError
from kbe_graph.steps.answered import ECHOES, Answered
from kbe_graph.steps.ask import Ask, ask, listed, triplet_text
from kbe_graph.steps.forms import Judged, read_form
from kbe_graph.steps.reply import verdict, verdicts
from kbe_graph.types import Question, Triplet

TOKENS_A_VERDICT = 16


class Response(NamedTuple):
    """What a model under test said to a question."""

    question: Question
    text: str


def render_representative(question: Question, triplets: Sequence[Triplet]) -> Ask:
    """Return what asks whether each candidate is the representative object for its subject and relation, in context."""
    texts = tuple(triplet_text(triplet) for triplet in triplets)
    values = {"question": question.text, "answer": question.answer, "triplets": listed(texts)}
    return ask("representative", Judged, sees_image=True, max_tokens=_tokens(len(texts)), **values)


def render_verify(triplets: Sequence[Triplet]) -> Ask:
    """Return what asks for a second opinion on triplets of many samples, text only; 10 to 20 make a good batch."""
    texts = tuple(triplet_text(triplet) for triplet in triplets)
    return ask("verify", Judged, sees_image=False, max_tokens=_tokens(len(texts)), triplets=listed(texts))


def render_judge(responses: Sequence[Response]) -> Ask:
    """Return what asks whether each response says the right answer; the judge sees image and question."""
    texts = tuple(_response(response) for response in responses)
    return ask("judge", Judged, sees_image=True, max_tokens=_tokens(len(texts)), responses=listed(texts))


def parse_verdicts(answered: Answered, count: int, *, echoes: tuple[str, ...] = ECHOES) -> list[bool]:
    """Return the verdicts on 1 ... ``count`` in order; raises ReplyError where a number is missing, double or unknown."""
    form = read_form(Judged, answered)
    if form is None:
        return _spoken(answered, count, echoes)
    numbers = [one.n for one in form.verdicts]
    if sorted(numbers) != list(range(1, count + 1)):
        raise answered.fault(f"{count} verdicts asked for, found those numbered {numbers!r}")
    return [one.ok for one in sorted(form.verdicts, key=lambda one: one.n)]


def _spoken(answered: Answered, count: int, echoes: tuple[str, ...]) -> list[bool]:
    text = answered.lines(echoes)
    try:
        return [verdict(text)] if count == 1 and not text[:1].isdigit() else verdicts(text, count)
    except ReplyError as error:
        raise answered.fault(str(error)) from None


def _tokens(count: int) -> int:
    return 20 + TOKENS_A_VERDICT * count


def _response(response: Response) -> str:
    question = response.question
    also = f" (also: {', '.join(question.aliases)})" if question.aliases else ""
    said = " ".join(response.text.split())[:200] or "(nothing)"
    return f"Question: {question.text}\nRight: {question.answer.upper()}{also}. Response: {said}"
