"""Question as a statement with a gap for its answer: fill in, true or false (MDK12, question types)."""

import re
from collections.abc import Callable
from typing import NamedTuple, Protocol

from kbe_graph.checks.question_text import flaw
from kbe_graph.english.inflect import article, is_counted, is_plural, takes_the
from kbe_graph.english.property import is_kind
from kbe_graph.english.reading import read
from kbe_graph.english.words import synset_of, words
from kbe_graph.errors import NoCandidate
from kbe_graph.forms.form_case import AnswerOption, FormCase
from kbe_graph.forms.multiple_choice import TRUTHS, Balance, OptionFinder
from kbe_graph.forms.paraphrase import answer_phrases
from kbe_graph.text import fold
from kbe_graph.types import QuestionForm

NO_STATEMENT = "no statement"
GAP = "____"
# Beginnings of our own wordings, before the noun phrase that they ask about.
_ASKED = re.compile(
    r"^(?:what|who|which \w+) (?P<verb>is|are) (?P<phrase>(?:the|this|that|these|those) .+(?<! from| with))\?$",
    re.IGNORECASE,
)
# "Which building is the tallest in the city", "which bird is the official one of the state": keep the noun.
_WHICH = re.compile(r"^which (?P<noun>\w+) ", re.IGNORECASE)
_BARE = re.compile(r"^(?P<which>the \w+est|the \w+(?= one)|the)(?: one)? (?=(?:in|of|that) )")
_TORN = re.compile(r"\b(?:is|are) (?:shown|seen|pictured|depicted) (?:here|on) \w|\b(?:is|are|was|were)$")
_CALLED = re.compile(r"^what do you call (?P<phrase>.+)\?$", re.IGNORECASE)
_NAME = re.compile(r"^the name (?:of|for) (?=the |this |that |these |those )", re.IGNORECASE)
# Phrases whose answer is a kind or quality, without an article.
_QUALITY = re.compile(
    r"^the (?:[\w-]+ )?(?:breed|brand|style|size|material|name|model|colou?r|shape|pattern|flavou?r|time|season)\b"
    r"|^the (?:main )?ingredient\b"
)
_KIND = re.compile(r"^the (?:[\w-]+ )?(?:kind|type|sort|species) of\b")
# Phrases whose answer takes "the".
_WITH_THE = re.compile(r"^the (?:currency|money|decade|(?:[\w-]+ )?river)\b")


class StatementFrame(Protocol):
    """Interface of a statement with a gap for the question's answer."""

    def gapped(self, answer: str) -> str:
        """Get the statement with a gap for the answer; raises NoCandidate if the answer does not fit."""

    def stated(self, option: AnswerOption) -> str:
        """Fill the gap with an option; raises NoCandidate if it does not fit."""


Framer = Callable[[FormCase], StatementFrame]
"""Function that turns a question into a statement; raises NoCandidate if that is impossible."""


class Frame(NamedTuple):
    """Words before the answer: a noun phrase, the linking verb, and the noun asked for."""

    phrase: str
    verb: str
    asked_for: str = ""

    def gapped(self, answer: str) -> str:
        """Get the statement with a gap."""
        self._check_number(answer)
        return self._with(GAP)

    def stated(self, option: AnswerOption) -> str:
        """Fill the gap with an option and its article."""
        self._check_number(option.name)
        return self._with(_with_article(self, option))

    def _with(self, answer: str) -> str:
        return f"{self.phrase[:1].upper()}{self.phrase[1:]} {self.verb} {answer}."

    def _check_number(self, name: str) -> None:
        many = self.verb == "are"
        if is_plural(name) != many and not _KIND.match(self.phrase) and (is_counted(name) or not many):
            raise NoCandidate(NO_STATEMENT, f"{self.phrase!r} and {name!r} differ in number")


def frame_of(case: FormCase) -> Frame:
    """Build the frame of a question; raises NoCandidate ("no statement") if its grammar allows none."""
    text = case.question.text
    frame = _frame_of_ours(text) if case.question.explored else None
    frame = frame or _referred(text)
    if not case.question.end.noun:
        raise NoCandidate(NO_STATEMENT, f"{case.question.answer!r} is no noun")
    if _TORN.search(frame.phrase):
        raise NoCandidate(NO_STATEMENT, frame.phrase)
    if wrong := flaw(f"What {frame.verb} {frame.phrase}?"):
        raise NoCandidate(NO_STATEMENT, wrong)
    return frame._replace(asked_for=read(text).asks_for)


def _frame_of_ours(text: str) -> Frame | None:
    if match := _CALLED.match(text):
        return Frame(match["phrase"], "is called")
    match, which = _ASKED.match(text), _WHICH.match(text)
    if match is None:
        return None
    phrase = _NAME.sub("", match["phrase"])
    return Frame(_BARE.sub(rf"\g<which> {which['noun']} ", phrase) if which else phrase, match["verb"].lower())


def _referred(text: str) -> Frame:
    reading = read(text)
    if reading.misspelled or reading.form:
        raise NoCandidate(NO_STATEMENT, reading.misspelled or reading.form)
    _, phrases = answer_phrases(reading)
    if not phrases:
        raise NoCandidate(NO_STATEMENT, "no noun phrase stands for its answer")
    return Frame(phrases[0].text, "are" if phrases[0].plural else "is")


def _is_number(name: str) -> bool:
    return {*fold(name).split()} <= words("numbers")


def _with_article(frame: Frame, option: AnswerOption) -> str:
    name, synset = option.name, synset_of(option.concept)
    if _WITH_THE.match(frame.phrase):
        return f"the {name}"
    if synset is None or _QUALITY.match(frame.phrase) or _is_number(name):
        return name
    if synset.instance or (_KIND.match(frame.phrase) and not is_kind(option.concept, frame.asked_for)):
        return f"the {name}" if takes_the(name) else name
    return article(name)


def fill_of(case: FormCase, statement: Framer) -> QuestionForm:
    """Convert a question to a statement with a gap, with the accepted answers; raises NoCandidate if impossible."""
    text = f"Fill in the gap: {statement(case).gapped(case.question.answer)}"
    return QuestionForm(case.question.id, "fill", text, (), case.names)


def true_false_of(case: FormCase, sound: OptionFinder, statement: Framer, balance: Balance) -> QuestionForm:
    """Convert a question to a true or false statement; within a row, each is used half of the time.

    Raises NoCandidate if the grammar allows no statement or no wrong answer is sound: if such questions were only ever
    true, their common features would give them away.
    """
    frame, options = statement(case), sound(case)
    true = frame.stated(AnswerOption(case.question.answer, case.concept))
    id_ = case.question.id
    wrong = balance.foremost(options, id_)[0]
    false = frame.stated(wrong)
    (place,) = balance.places(case.row, len(TRUTHS), id_)
    text = f"True or false: {true if TRUTHS[place] == 'true' else false}"
    form = QuestionForm(id_, "true-false", text, (), (TRUTHS[place],))
    balance.count(case.row, form, [wrong.name])
    return form
