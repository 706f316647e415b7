"""Statements from questions, and parts of forms from a model, passed through the same checks and then to a judge."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, Protocol, TypeVar

from kbe_graph.checks.chain import first_sense
from kbe_graph.checks.question_text import flaw
from kbe_graph.english.inflect import article, is_counted, is_plural, takes_the
from kbe_graph.english.property import is_kind
from kbe_graph.english.reading import read
from kbe_graph.english.words import synset_of, words
from kbe_graph.errors import NoCandidate
from kbe_graph.forms.form_case import AnswerOption, FormCase, why_unsound
from kbe_graph.forms.multiple_choice import TOO_FEW, TRUTHS, WRONG, Balance, OptionFinder, distinct
from kbe_graph.forms.paraphrase import answer_phrases, check_words
from kbe_graph.models.loop import gather_all
from kbe_graph.steps.asker import Asker, Step
from kbe_graph.steps.tasks import also_right_step, choices_step, other_right_step, statement_step
from kbe_graph.text import fold
from kbe_graph.types import Form, QuestionForm

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
    if not case.is_noun:
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


MAY_BE_RIGHT = "another option may be right"
MAY_BE_WRONG = "an answer may be wrong"
ANOTHER_THING = frozenset(["", "linked", "seen"])  # outcomes of the option checks that allow another right answer
_ARTICLE = re.compile(rf"\ban? (?={GAP})", re.IGNORECASE)
T = TypeVar("T")


class AskedStatement(NamedTuple):
    """Statement written by a model; the article before its gap belongs to the answer."""

    text: str
    with_article: bool = False

    def gapped(self, answer: str) -> str:
        """Get the statement with its gap, which does not depend on ``answer``."""
        del answer
        return self.text

    def stated(self, option: AnswerOption) -> str:
        """Fill the gap with an option."""
        text = self.text.replace(GAP, article(option.name) if self.with_article else option.name)
        return f"{text[:1].upper()}{text[1:]}"


class AskedPart(NamedTuple, Generic[T]):
    """A part from a model, and who made it."""

    part: T
    maker: str


Asked = Mapping[str, AskedPart[T] | NoCandidate]
"""The parts from a model by question ID, or why it gave none."""


def _part(asked: Asked[T], case: FormCase) -> T:
    given = asked[case.question.id]
    if isinstance(given, NoCandidate):
        raise given
    return given.part


@dataclass(frozen=True, slots=True)
class AskedParts:
    """Parts of forms from a model: wrong options, statements, and right answers other than the question's own."""

    options: Asked[Sequence[str]]
    statements: Asked[str]
    answers: Asked[Sequence[str]]

    def sound(self, case: FormCase) -> list[AnswerOption]:
        """Filter a question's options down to the sound ones; raises NoCandidate if there are fewer than three."""
        options = (AnswerOption(name, first_sense(name)) for name in _part(self.options, case))
        widened = _with_names(case, self._more(case))
        sound = distinct(option for option in options if not why_unsound(option, widened))
        if len(sound) < WRONG:
            raise NoCandidate(TOO_FEW, f"{len(sound)} of a model's")
        return sound

    def statement(self, case: FormCase) -> AskedStatement:
        """Check a question's statement; raises NoCandidate if there is none or its meaning differs."""
        text = _part(self.statements, case)
        if text.count(GAP) != 1 or "?" in text:
            raise NoCandidate(NO_STATEMENT, repr(text))
        check_words(text.replace(GAP, ""), case.question.text, case.names)
        plain = _ARTICLE.sub("", text)
        return AskedStatement(plain, with_article=plain != text)

    def right_names(self, case: FormCase) -> list[str]:
        """List the question's answer and other right ones; raises NoCandidate if the reply is unusable."""
        _part(self.answers, case)
        return [case.question.answer, *self._more(case)]

    def _more(self, case: FormCase) -> list[str]:
        more: list[str] = []
        for name in _part(self.answers, case) if self.answers else ():
            if why_unsound(AnswerOption(name, first_sense(name)), _with_names(case, more)) in ANOTHER_THING:
                more.append(name)
        return more

    def signed(self, form: QuestionForm) -> QuestionForm:
        """Record in a form who made its parts."""
        given = (self.options.get(form.question), self.statements.get(form.question))
        return replace(form, maker=next(each.maker for each in given if isinstance(each, AskedPart)))

    def claims(self, case: FormCase, form: QuestionForm) -> dict[str, bool]:
        """List which options a form claims to be right or wrong, except the question's own answer."""
        if form.form == "true-false":
            text = form.text.partition(": ")[2]
            frame = self.statement(case)
            wrong = [option.name for option in self.sound(case) if frame.stated(option) == text]
            return dict.fromkeys(wrong, False)
        return {name: name in form.answers for name in form.options if name != case.question.answer}


def _with_names(case: FormCase, names: Sequence[str]) -> FormCase:
    return replace(case, question=replace(case.question, aliases=(*case.question.aliases, *names)))


async def ask_parts(asker: Asker, form: Form, cases: Sequence[FormCase]) -> AskedParts:
    """Ask a model for the parts of a form: right answers or statements first, then options where these exist."""
    language = asker.language
    statements: Asked[str] = {}
    answers: Asked[Sequence[str]] = {}
    if form in {"fill", "true-false"}:
        statements = await _ask_each(asker, cases, lambda case: statement_step(*_words_of(case), language=language))
        cases = [case for case in cases if _has(statements, case)]
    if form == "several":
        answers = await _ask_each(
            asker, cases, lambda case: also_right_step(case.question.text, case.names, language=language)
        )
        cases = [case for case in cases if _has(answers, case)]

    def options_of(case: FormCase) -> Step[Sequence[str]]:
        accepted = (*case.names, *(_part(answers, case) if answers else ()))
        return choices_step(*_words_of(case), accepted, language=language)

    options = await _ask_each(asker, cases if form != "fill" else (), options_of)
    return AskedParts(options, statements, answers)


def _has(asked: Asked[T], case: FormCase) -> bool:
    given = asked[case.question.id]
    return isinstance(given, AskedPart) and bool(given.part)


def _words_of(case: FormCase) -> tuple[str, str]:
    return case.question.text, case.question.answer


async def _ask_each(asker: Asker, cases: Sequence[FormCase], step_of: Callable[[FormCase], Step[T]]) -> Asked[T]:
    asked: dict[str, AskedPart[T] | NoCandidate] = {}

    async def ask_one(case: FormCase) -> None:
        try:
            part, origin = await asker.ask(step_of(case))
            asked[case.question.id] = AskedPart(part, f"model {origin.model}")
        except NoCandidate as none:
            asked[case.question.id] = none

    await gather_all(map(ask_one, cases))
    return asked


async def judge_forms(
    asker: Asker, cases: Sequence[FormCase], forms: Mapping[str, QuestionForm], parts: AskedParts
) -> dict[str, str]:
    """Find forms to reject, with reasons by question ID: the judge disagrees about the options, or gave no verdict."""
    refused: dict[str, str] = {}

    async def judge(case: FormCase, claims: Mapping[str, bool]) -> None:
        try:
            right, _ = await asker.ask(other_right_step(*_words_of(case), tuple(claims)), case.sample)
        except NoCandidate as none:
            refused[case.question.id] = none.reason
            return
        if doubtful := [is_right for name, is_right in claims.items() if (name in right) != is_right]:
            refused[case.question.id] = MAY_BE_WRONG if all(doubtful) else MAY_BE_RIGHT

    made = [(case, parts.claims(case, forms[case.question.id])) for case in cases if case.question.id in forms]
    await gather_all(judge(case, claims) for case, claims in made if claims)
    return refused
