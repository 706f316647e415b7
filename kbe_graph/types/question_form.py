"""Questions in other forms than open."""

from dataclasses import dataclass
from typing import Literal, get_args

OtherForm = Literal["choice", "several", "fill", "true-false"]
Form = Literal["open", OtherForm]
"""How an answer is given: in own words, one of the options, all right ones of the options, in a gap, true or false."""
FORMS: tuple[Form, ...] = get_args(Form)


def form_id(question: str, form: str) -> str:
    """Return the id of a question's form."""
    return f"{question}#{form}"


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """A question in another form than open, with its own gold answer (MDK12-Bench, question types).

    ``question`` is the question's id; ``options`` are in the order in which they are shown, and empty where there are
    none; ``answers`` are the right ones: of ``options`` where there are any, "true" or "false", or what fills the gap,
    its other names after it. ``facts`` tells for each option, in their order, the fact that makes it right or wrong,
    with its source; it is empty where no such fact is asked for.

    >>> kbe.QuestionForm("own/val/1@raw/0", "choice", "Which?", ("dog", "cat"), ("cat",)).letters
    ('B',)
    """

    question: str
    form: Form
    text: str
    options: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    maker: str = "rule"
    facts: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The identity of the form: one of a kind a question."""
        return form_id(self.question, self.form)

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the right options, A for the first."""
        return tuple(chr(ord("A") + place) for place, option in enumerate(self.options) if option in self.answers)
