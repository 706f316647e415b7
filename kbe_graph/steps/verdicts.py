"""Numbered yes and no: the steps ``representative`` and ``verify`` (KBE, section 3.2)."""

from collections.abc import Sequence

from kbe_graph.errors import ReplyError
from kbe_graph.steps.border import Data
from kbe_graph.steps.forms import VerdictsForm, read_form
from kbe_graph.steps.reply_text import read_verdict, read_verdicts, verdicts_in_order
from kbe_graph.steps.step_reply import ECHOES, StepReply
from kbe_graph.steps.step_request import StepRequest, numbered_lines, step_request, triplet_text
from kbe_graph.types import Question, Triplet

TOKENS_A_VERDICT = 16


def render_representative(question: Question, triplets: Sequence[Triplet]) -> StepRequest:
    """Render the request for whether each object is the representative one of its subject and relation, in context."""
    texts = tuple(triplet_text(triplet) for triplet in triplets)
    values: dict[str, Data] = {
        "question": question.text,
        "answer": question.answer,
        "triplets": numbered_lines(texts),
    }
    return step_request("representative", VerdictsForm, sees_image=True, max_tokens=_tokens(len(texts)), **values)


def render_verify(triplets: Sequence[Triplet]) -> StepRequest:
    """Render the request for a second opinion on triplets of many samples, text only; 10 to 20 make a good batch."""
    texts = tuple(triplet_text(triplet) for triplet in triplets)
    return step_request(
        "verify", VerdictsForm, sees_image=False, max_tokens=_tokens(len(texts)), triplets=numbered_lines(texts)
    )


def parse_verdicts(reply: StepReply, count: int, *, echoes: tuple[str, ...] = ECHOES) -> list[bool]:
    """Return the verdicts 1 to ``count`` in order; see ``verdicts_in_order``.

    Raises ReplyError, also for several lists of verdicts.
    """
    if reply.bare_text().count('"verdicts"') > 1:
        raise reply.error("several lists of verdicts: one may be copied from what was judged")
    form = read_form(VerdictsForm, reply)
    if form is None:
        return _plain_verdicts(reply, count, echoes)
    try:
        return verdicts_in_order([(verdict.n, verdict.ok) for verdict in form.verdicts], count)
    except ValueError as error:
        raise reply.error(str(error)) from None


def _plain_verdicts(reply: StepReply, count: int, echoes: tuple[str, ...]) -> list[bool]:
    text = reply.plain_text(echoes)
    try:
        return (
            [read_verdict(text)]
            if count == 1 and not text[:1].isdigit()
            else read_verdicts(text, count, is_cut=reply.is_cut(echoes))
        )
    except ReplyError as error:
        raise reply.error(str(error)) from None


def _tokens(count: int) -> int:
    return 20 + TOKENS_A_VERDICT * count
