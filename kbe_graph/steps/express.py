"""The new question from a model: the step ``express`` (KBE, section 3.2, expression)."""

from collections.abc import Collection

from kbe_graph.english.inflect import lemmas
from kbe_graph.errors import ReplyError
from kbe_graph.steps.border import Data
from kbe_graph.steps.examples import Examples, examples
from kbe_graph.steps.forms import ExpressForm, read_form
from kbe_graph.steps.reply_text import read_question
from kbe_graph.steps.step_reply import ECHOES, StepReply
from kbe_graph.steps.step_request import StepRequest, chain_text, step_request, triplet_text
from kbe_graph.text import fold
from kbe_graph.types import Question, Triplet

_ANY_PICTURE = frozenset({"image", "picture", "photo", "show", "see", "depict", "shown", "seen"})


def render_express(parent: Question, triplet: Triplet, *, language: str = "English") -> StepRequest:
    """Render the request for the question whose answer is the object of the new triplet."""
    values: dict[str, Data] = {"question": parent.text, "answer": parent.answer, "chain": chain_text(parent.key)}
    values |= {"triplet": triplet_text(triplet), "language": language}
    return step_request("express", ExpressForm, sees_image=True, max_tokens=120, **values)


def parse_express(
    reply: StepReply,
    *,
    old: str,
    hidden: Collection[str],
    shown: Examples | None = None,
    echoes: tuple[str, ...] = ECHOES,
) -> str:
    """Return the question of a reply: one line that ends in a question mark.

    Raises ReplyError where there is none, or where it names something ``hidden``, is the ``old`` one or an example's.
    """
    form = read_form(ExpressForm, reply)
    text = form.question if form else reply.plain_text(echoes)
    return new_question(reply, text, old=old, hidden=hidden, shown=shown or examples("express"))


def new_question(reply: StepReply, text: str, *, old: str, hidden: Collection[str], shown: Examples) -> str:
    """Return the question that a reply's text is; raises ReplyError as ``parse_express``."""
    try:
        question = read_question(text, hidden=hidden)
    except ReplyError as error:
        raise reply.error(str(error)) from None
    if is_same_question(question, old):
        raise reply.error("the question is the old one")
    if shown.holds_question(question):
        raise reply.error("the question is the example's")
    return question


def is_same_question(text: str, old: str) -> bool:
    """Return whether two questions have the same words, or the same lemmas beside those of "in this picture"."""
    new_lemmas, old_lemmas = (frozenset(lemmas(question)) - _ANY_PICTURE for question in (text, old))
    return fold(text) == fold(old) or (bool(new_lemmas) and new_lemmas == old_lemmas)
