"""Choose all: several right options where a fact has several objects, among wrong ones (MDK12, question types)."""

from collections.abc import Callable, Sequence
from random import Random

from kbe_graph.errors import NoCandidate
from kbe_graph.question_forms.balance import WRONG, Balance
from kbe_graph.question_forms.form_case import FormCase
from kbe_graph.question_forms.multiple_choice import OptionFinder
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.types import QuestionForm

MOST = 4  # right ones


RightFinder = Callable[[FormCase], Sequence[str]]
"""Names each thing that is a right answer, the question's own answer first; raises NoCandidate."""


def several_of(case: FormCase, sound: OptionFinder, right_names: RightFinder, balance: Balance) -> QuestionForm:
    """Return a question with all right options among three wrong ones; raises NoCandidate where one alone is right."""
    right = right_names(case)
    if len(right) < 2:
        raise NoCandidate("one right answer", repr(case.question.answer))
    if len(right) > MOST:
        raise NoCandidate("too many right answers", f"{len(right)}")
    wrong = [option.name for option in balance.draw(sound(case), case.question.id, WRONG)]
    options = sorted((*right, *wrong))
    Random(seed_of("options", case.question.id)).shuffle(options)
    text = f"{case.question.text} Choose all that are right."
    return QuestionForm(case.question.id, "several", text, tuple(options), tuple(right))


def right_by_facts(case: FormCase) -> list[str]:
    """Return a name of each thing that the chain leads to, the question's own answer first; two of one name are one."""
    names, taken = [case.question.answer], {*map(fold, (case.question.answer, *case.question.aliases))}
    for end in case.walk.follow(case.chain.concepts[0], case.chain.relations) if case.question.explored else ():
        if not taken & case.walk.names(end):
            names.append(case.walk.label(end))
        taken |= case.walk.names(end)
    return names
