"""Choose-all questions: several right options among wrong ones (MDK12, question types).

The right options are all objects of a fact that has several; for a fact with one object, they are other things with the
same object: "Which of these belong to the same taxonomic family as the bird in this image?".
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from kbe_graph.errors import NoCandidate
from kbe_graph.facts.relation import Relation
from kbe_graph.forms.form_case import AnswerOption, FormCase
from kbe_graph.forms.multiple_choice import OPTIONS, WRONG, Balance, OptionFinder, in_order
from kbe_graph.forms.peers import PeerFinder, Peers, nearest
from kbe_graph.text import fold
from kbe_graph.types import Fact, QuestionForm
from kbe_graph.wording.phrases import fill, question_of, sentence
from kbe_graph.wording.reference import Phrase

NO_WORDING = "no words for the same"
_GAP = "these"
_PLACE = "from|of|to|into|in|on|at|for|with|by|after"
# "In which US state do these lie", "which country do these come from", "which part of the world are these native to".
_ASKED = re.compile(
    rf"(?:(?P<before>{_PLACE}) )?which (?P<noun>.+?) (?P<verb>do |are ){_GAP} (?P<rest>.*?)(?: (?P<after>{_PLACE}))?"
)
# "The country that these come from", "the decade when these were invented", "the sense that these serve".
_CLAUSE = re.compile(
    rf"the (?P<noun>.+?) (?P<link>that|where|when) {_GAP} (?P<verb>)(?P<rest>.*?)(?: (?P<after>{_PLACE}))?"
)
# "The currency of these"; not "the compound behind the flavor of these", "the city of the first contest in these".
_OWNED = re.compile(rf"the (?P<noun>(?!.*\b(?:that|behind|of the|its|name|word)\b).+(?<!ing)) (?:of|in|on) {_GAP}")
_GROUP = re.compile(r"\b(?:family|order|class|genus|group)$")
# Nouns too vague to say what is the same: the first in any wording, the others only after "have".
_VAGUE = frozenset(["place", "thing", "time"])
_UNFIT = _VAGUE | {"country", "city", "river", "sport"}


def same_question(relation: Relation, text: str) -> str:
    """Word the question of which things share the object of a relation with the subject of a question.

    Raises NoCandidate if the relation has no wording for it, or if the question does not use the relation's phrases.
    """
    template = same_template(relation)
    asked_of = min(_asked_of(relation, text), key=len, default="")
    if not template or not asked_of:
        raise NoCandidate(NO_WORDING, repr(relation.name if asked_of else text))
    return template.replace("{}", asked_of)


def same_template(relation: Relation) -> str:
    """Build such a question, with {} for the subject, from the relation's own questions and phrases.

    It is empty if none is suitable; a verb ("come from the same country") is preferred to a noun ("have the same
    capital").

    >>> from kbe_graph.facts.relation import relations
    >>> same_template(relations()["country of origin"])
    'Which of these come from the same country as {}?'
    """
    if not relation.functional or relation.opener != "what is":
        return ""
    gap = Phrase(_GAP, plural=True)
    texts = [fill(form, gap).text for form in (*relation.forms, *relation.phrases)]
    return next(filter(None, (make(text) for make in (_by_verb, _by_noun) for text in texts)), "")


def _by_verb(text: str) -> str:
    match = _ASKED.fullmatch(text) or _CLAUSE.fullmatch(text)
    if match is None:
        return ""
    parts = match.groupdict()
    place = parts.get("before") or parts["after"] or ("" if parts.get("link", "that") == "that" else "in")
    verb = f"{parts['verb'].removeprefix('do ')}{parts['rest']}".replace(" its ", " their ")
    if not verb or (not place and (" " in verb or verb == "have")) or parts["noun"] in _VAGUE:
        return ""
    return f"Which of these {verb} {f'{place} ' if place else ''}the same {parts['noun']} as {{}}?"


def _by_noun(text: str) -> str:
    match = _OWNED.fullmatch(text)
    if match is None or match["noun"].split()[-1] in _UNFIT:
        return ""
    return f"Which of these {'belong to' if _GROUP.search(match['noun']) else 'have'} the same {match['noun']} as {{}}?"


def _asked_of(relation: Relation, text: str) -> Iterator[str]:
    for plural in (False, True):
        gap = Phrase("{}", plural=plural)
        asked = (question_of(relation, fill(form, gap)) for form in relation.phrases)
        for template in (*asked, *(fill(form, gap).text for form in relation.forms)):
            before, _, after = sentence(template).partition("{}")
            if template and text.startswith(before) and text.endswith(after):
                yield text[len(before) : len(text) - len(after)]


LEAST, MOST = 2, 4  # right options
TOO_OFTEN = "its options are right, or wrong, too often"
ONE_RIGHT = "one right answer"

RightFinder = Callable[[FormCase], Sequence[str]]
"""Function that lists all right answers, the question's own first; raises NoCandidate."""


def several_of(case: FormCase, sound: OptionFinder, right_names: RightFinder, balance: Balance) -> QuestionForm:
    """Build a question with all right options among three wrong ones; raises NoCandidate if only one is right."""
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
    """Build a choice of five or six things, some of which share the last fact's object; raises NoCandidate.

    Two to four are right, and at least two are wrong; the number of right options is balanced within the row. Raises
    NoCandidate with the reason TOO_OFTEN if earlier sets would give away which things share the object.
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
    return peers._replace(
        right=[option for option in peers.right if balance.may_be_right(option.name)],
        wrong=[option for option in peers.wrong if balance.may_be_wrong(option.name)],
    )


def _numbers(peers: Peers) -> list[int]:
    most = min(MOST, len(peers.right))
    return [
        number for number in range(LEAST, most + 1) if min(len(peers.wrong), OPTIONS - number) >= max(2, 5 - number)
    ]


def _form(
    case: FormCase, text: str, right: Sequence[str], wrong: Sequence[AnswerOption], balance: Balance
) -> QuestionForm:
    id_ = case.question.id
    places = balance.places(case.row, len(right) + len(wrong), id_, len(right))
    options = in_order(right, [option.name for option in wrong], places, id_)
    form = QuestionForm(id_, "several", text, options, tuple(right))
    balance.count(case.row, form)
    return form


def _line(fact: Fact) -> str:
    return f"{fact.subject} | {fact.relation} | {fact.object} | {fact.source} {fact.source_ref}"


def right_by_facts(case: FormCase) -> list[str]:
    """List the distinct things that the chain leads to by name, starting with the question's own answer."""
    names, taken = [case.question.answer], {*map(fold, (case.question.answer, *case.question.aliases))}
    for end in case.walk.follow(case.chain.concepts[0], case.chain.relations) if case.question.explored else ():
        if not taken & case.walk.names(end):
            names.append(case.walk.label(end))
        taken |= case.walk.names(end)
    return names
