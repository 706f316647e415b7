"""The new question from a model: the step ``express`` (KBE, section 3.2, expression)."""

from collections.abc import Collection

from kbe_graph.errors import ReplyError
from kbe_graph.steps.ask import ECHOES, Answered, Ask, ask, chain_text, triplet_text, whole
from kbe_graph.steps.forms import Asked, read_form
from kbe_graph.steps.reply import plain, question
from kbe_graph.text import fold
from kbe_graph.types import Question, Triplet


def render_express(parent: Question, triplet: Triplet, *, language: str = "English") -> Ask:
    """Return what asks for the question whose answer is the object of the new triplet."""
    values = {"question": parent.text, "answer": parent.answer, "chain": chain_text(parent.key)}
    values |= {"triplet": triplet_text(triplet), "language": language}
    return ask("express", Asked, sees_image=True, max_tokens=120, **values)


def parse_express(answered: Answered, *, old: str, hidden: Collection[str]) -> str:
    """Return the question, one line that ends in a question mark, names nothing hidden and is not the old one.

    Raises ReplyError.
    """
    form = read_form(Asked, whole(answered))
    text = question(form.question if form else plain(answered.text, echoes=ECHOES), hidden=hidden)
    if fold(text) == fold(old):
        raise ReplyError("the question is the old one", reply=answered.text)
    return text
