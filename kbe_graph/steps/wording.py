"""The new question from a model: the step ``express`` (KBE, section 3.2, expression)."""

from collections.abc import Collection

from kbe_graph.errors import ReplyError
from kbe_graph.lexicon.inflect import lemmas
from kbe_graph.steps.answered import ECHOES, Answered
from kbe_graph.steps.ask import Ask, ask, chain_text, triplet_text
from kbe_graph.steps.examples import Examples, examples
from kbe_graph.steps.forms import Asked, read_form
from kbe_graph.steps.reply import question
from kbe_graph.text import fold
from kbe_graph.types import Question, Triplet

_ANY_PICTURE = frozenset({"image", "picture", "photo", "show", "see", "depict", "shown", "seen"})


def render_express(parent: Question, triplet: Triplet, *, language: str = "English") -> Ask:
    """Return what asks for the question whose answer is the object of the new triplet."""
    values = {"question": parent.text, "answer": parent.answer, "chain": chain_text(parent.key)}
    values |= {"triplet": triplet_text(triplet), "language": language}
    return ask("express", Asked, sees_image=True, max_tokens=120, **values)


def parse_express(
    answered: Answered,
    *,
    old: str,
    hidden: Collection[str],
    shown: Examples | None = None,
    echoes: tuple[str, ...] = ECHOES,
) -> str:
    """Return the question, one line that ends in a question mark, names nothing hidden, and is neither old nor an example's.

    Raises ReplyError.
    """
    form = read_form(Asked, answered)
    try:
        text = question(form.question if form else answered.lines(echoes), hidden=hidden)
    except ReplyError as error:
        raise answered.fault(str(error)) from None
    if same_question(text, old):
        raise answered.fault("the question is the old one")
    if (shown or examples("express")).asks(text):
        raise answered.fault("the question is the example's")
    return text


def same_question(text: str, old: str) -> bool:
    """Return whether two questions are one: by their words, or by the lemmas of what they say beside "in this picture"."""
    one, other = (frozenset(lemmas(each)) - _ANY_PICTURE for each in (text, old))
    return fold(text) == fold(old) or (bool(one) and one == other)
