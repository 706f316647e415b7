"""Choose all: several right options among wrong ones (MDK12, question types).

Right are all objects of a fact that has several; where it has one, the things that have the same one: "Which of these
belong to the same taxonomic family as the bird in this image?".
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from kbe_graph.errors import NoCandidate
from kbe_graph.question_forms.alternative import Alternative
from kbe_graph.question_forms.balance import OPTIONS, WRONG, Balance, in_order
from kbe_graph.question_forms.form_case import FormCase
from kbe_graph.question_forms.multiple_choice import OptionFinder
from kbe_graph.question_forms.peers import PeerFinder, Peers, nearest
from kbe_graph.question_forms.same_object import same_question
from kbe_graph.text import fold
from kbe_graph.types import Fact, QuestionForm

LEAST, MOST = 2, 4  # right ones
TOO_OFTEN = "its options are right, or wrong, too often"
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
    options = sound(case)
    if not all(map(balance.may_be_right, right)):
        raise NoCandidate(TOO_OFTEN, ", ".join(right))
    wrong = balance.foremost(options, case.question.id)[:WRONG]
    return _form(case, f"{case.question.text} Choose all that are right.", right, wrong, balance)


def same_of(case: FormCase, peers: PeerFinder, balance: Balance) -> QuestionForm:
    """Return which of five or six things have the object of a question's last fact; raises NoCandidate.

    Two to four are right, and at least two are not; no number is right oftener than it must be in its row. Raises
    NoCandidate with the reason TOO_OFTEN where other sets would give away those that share it, or those that do not.
    """
    if not case.question.explored:
        raise NoCandidate(ONE_RIGHT, "nothing was explored")
    text = same_question(case.walk.pack.relation(case.chain.relations[-1]), case.question.text)
    groups = [group for group in peers(case) if _numbers(group)]
    if not groups:
        raise NoCandidate("too few things share the answer, or do not", case.question.answer)
    group = next((group for group in map(partial(_level, balance=balance), groups) if _numbers(group)), None)
    if group is None:
        raise NoCandidate(TOO_OFTEN, case.question.answer)
    number = balance.number(case.row, _numbers(group), case.question.id)
    right = balance.hindmost(group.right, case.question.id)[:number]
    wrong = balance.foremost(nearest(right, group.wrong), case.question.id)[: OPTIONS - number]
    form = _form(case, text, [option.name for option in right], wrong, balance)
    return replace(form, facts=tuple(_line(group.facts[name]) for name in form.options))


def _level(peers: Peers, balance: Balance) -> Peers:
    """Return those of the peers that neither were right too often, to be right once more, nor wrong."""
    return peers._replace(
        right=[option for option in peers.right if balance.may_be_right(option.name)],
        wrong=[option for option in peers.wrong if balance.may_be_wrong(option.name)],
    )


def _numbers(peers: Peers) -> list[int]:
    """Return how many may be right of these peers: at least two are wrong, and there are five options or more."""
    most = min(MOST, len(peers.right))
    return [
        number for number in range(LEAST, most + 1) if min(len(peers.wrong), OPTIONS - number) >= max(2, 5 - number)
    ]


def _form(
    case: FormCase, text: str, right: Sequence[str], wrong: Sequence[Alternative], balance: Balance
) -> QuestionForm:
    """Return a set in the order that the run needs, and count it."""
    id_ = case.question.id
    places = balance.places(case.row, len(right) + len(wrong), id_, len(right))
    options = in_order(right, [option.name for option in wrong], places, id_)
    form = QuestionForm(id_, "several", text, options, tuple(right))
    balance.count(case.row, form)
    return form


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
