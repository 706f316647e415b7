"""Choose all: several right options among wrong ones (MDK12, question types).

Right are all objects of a fact that has several; where it has one, the things that have the same one: "Which of these
belong to the same taxonomic family as the bird in this image?".
"""

from collections.abc import Callable, Iterable, Sequence
from random import Random

from kbe_graph.errors import NoCandidate
from kbe_graph.question_forms.balance import OPTIONS, WRONG, Balance
from kbe_graph.question_forms.form_case import FormCase
from kbe_graph.question_forms.multiple_choice import OptionFinder
from kbe_graph.question_forms.peers import PeerFinder, Peers, nearest
from kbe_graph.question_forms.same_object import same_question
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.types import Fact, QuestionForm

LEAST, MOST = 2, 4  # right ones
ONE_RIGHT = "one right answer"

RightFinder = Callable[[FormCase], Sequence[str]]
"""Names each thing that is a right answer, the question's own answer first; raises NoCandidate."""


def several_of(case: FormCase, sound: OptionFinder, right_names: RightFinder, balance: Balance) -> QuestionForm:
    """Return a question with all right options among three wrong ones; raises NoCandidate where one alone is right."""
    right = right_names(case)
    if len(right) < LEAST:
        raise NoCandidate(ONE_RIGHT, repr(case.question.answer))
    if len(right) > MOST:
        raise NoCandidate("too many right answers", f"{len(right)}")
    wrong = [option.name for option in balance.draw(sound(case), case.question.id, WRONG)]
    text = f"{case.question.text} Choose all that are right."
    return QuestionForm(case.question.id, "several", text, _shuffled((*right, *wrong), case), tuple(right))


def same_of(case: FormCase, peers: PeerFinder, balance: Balance) -> QuestionForm:
    """Return which of five or six things have the object of a question's last fact; raises NoCandidate.

    Two to four are right, and at least two are not; no number is right oftener than it must be in its row.
    """
    if not case.question.explored:
        raise NoCandidate(ONE_RIGHT, "nothing was explored")
    text = same_question(case.walk.pack.relation(case.chain.relations[-1]), case.question.text)
    group = next((each for each in peers(case) if _numbers(each)), None)
    if group is None:
        raise NoCandidate("too few things share the answer, or do not", case.question.answer)
    number = balance.number(case.row, _numbers(group), case.question.id)
    right = balance.side(group.right, number, case.question.id, right=True)
    wrong = balance.side(nearest(right, group.wrong), OPTIONS - number, case.question.id, right=False)
    options = _shuffled([option.name for option in (*right, *wrong)], case)
    answers = tuple(option.name for option in right)
    facts = tuple(_line(group.facts[name]) for name in options)
    return QuestionForm(case.question.id, "several", text, options, answers, facts=facts)


def _numbers(peers: Peers) -> list[int]:
    """Return how many may be right of these peers: at least two are wrong, and there are five options or more."""
    most = min(MOST, len(peers.right))
    return [
        number for number in range(LEAST, most + 1) if min(len(peers.wrong), OPTIONS - number) >= max(2, 5 - number)
    ]


def _shuffled(names: Iterable[str], case: FormCase) -> tuple[str, ...]:
    options = sorted(names)
    Random(seed_of("options", case.question.id)).shuffle(options)
    return tuple(options)


def _line(fact: Fact) -> str:
    return f"{fact.subject} | {fact.relation} | {fact.object} | {fact.source} {fact.source_ref}"


def right_by_facts(case: FormCase) -> list[str]:
    """Return a name of each thing that the chain leads to, the question's own answer first; two of one name are one."""
    names, taken = [case.question.answer], {*map(fold, (case.question.answer, *case.question.aliases))}
    for end in case.walk.follow(case.chain.concepts[0], case.chain.relations) if case.question.explored else ():
        if not taken & case.walk.names(end):
            names.append(case.walk.label(end))
        taken |= case.walk.names(end)
    return names
