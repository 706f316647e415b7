"""What models answered, in which way they were asked, and what judges said."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from kbe_graph.types.question_form import OtherForm

Variant = Literal["image", "blind", "no-chain", "paraphrase", "options", "options-shuffled", OtherForm]
"""How a question was asked: as it is with its picture; without the picture; with it, the chain of the question taken
out; in other words; with the choices of its sample; with these in another order; in another form than open."""
VARIANTS: tuple[Variant, ...] = get_args(Variant)
Verdict = Literal["right", "wrong", ""]  # empty: not judged


class Vote(NamedTuple):
    """What one of several judges said."""

    judge: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model answered to a question, and what a judge said of that (KBE, section 4.1).

    ``question`` is the question's id; ``run`` the number of the asking, from 1; ``asked`` the text that was asked where
    it is not the question's own; ``tokens`` how many the model wrote, None where nobody counted. ``judge`` names who
    gave the ``verdict``; where several voted, ``votes`` say what each did.

    >>> kbe.Prediction("llava", "okvqa/val/1@seed-0/1", "a giraffe").variant
    'image'
    """

    model: str
    question: str
    text: str
    run: int = 1
    variant: Variant = "image"
    asked: str = ""
    tokens: int | None = None
    verdict: Verdict = ""
    judge: str = ""
    votes: tuple[Vote, ...] = ()

    @property
    def id(self) -> str:
        """The identity of the prediction: one a question, model, asking and variant."""
        return f"{self.question}|{self.model}|{self.run}|{self.variant}"
