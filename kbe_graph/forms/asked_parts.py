"""Parts of question forms from a model, passed through the same checks as rule-based ones and then to a judge."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from kbe_graph.checks.chain import first_sense
from kbe_graph.english.inflect import article
from kbe_graph.errors import NoCandidate
from kbe_graph.forms.form_case import AnswerOption, FormCase, why_unsound
from kbe_graph.forms.multiple_choice import TOO_FEW, WRONG, distinct
from kbe_graph.forms.paraphrase import check_words
from kbe_graph.forms.statement import GAP, NO_STATEMENT
from kbe_graph.models.loop import gather_all
from kbe_graph.steps.asker import Asker, Step
from kbe_graph.steps.tasks import also_right_step, choices_step, other_right_step, statement_step
from kbe_graph.types import Form, QuestionForm

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
