"""Questions that a model writes from statements about what an image shows: the step ``wiki_questions``.

Each question that does not meet the requirements is rejected with a reason.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.steps.asker import Step, numbered_lines, step_of
from kbe_graph.steps.forms import WikiQuestionForm, WikiQuestionsForm
from kbe_graph.steps.reply_text import is_forged, mentions
from kbe_graph.text import fold

STEP = "wiki_questions"
MOST_QUESTIONS = 6
TOKENS_A_QUESTION = 160
WRONG = 3
NO_QUESTION = "no single question"
NO_ANSWER = "no answer"
IN_QUESTION = "the answer stands in the question"
SPEAKS_OF_SOURCE = "speaks of the caption or the statements"
EQUAL = "equal options"
NOT_THREE = "not three wrong answers"
_SOURCE = re.compile(
    r"\b(?:captions?|captioned|triples?|triplets?|statements?|knowledge (?:base|graph)|wikidata|wikipedia"
    r"|according to the (?:text|description|data|information|context|article))\b",
    re.IGNORECASE,
)


class StatementLine(NamedTuple):
    """Statement as shown in a prompt: property and value."""

    relation: str
    value: str


class WrittenQuestion(NamedTuple):
    """Question as a model wrote it, with its statement's number.

    ``wrong`` has three answers, or none if the model did not write exactly three.
    """

    number: int
    text: str
    answer: str
    wrong: tuple[str, ...] = ()


class WrittenQuestions(NamedTuple):
    """Questions of a reply, and the number of rejected ones by reason."""

    questions: tuple[WrittenQuestion, ...]
    refused: Mapping[str, int]


def wiki_questions_step(
    caption: str,
    name: str,
    statements: Sequence[StatementLine],
    *,
    most: int = 3,
    sees_image: bool = True,
    language: str = "English",
) -> Step[WrittenQuestions]:
    """Ask for up to ``most`` questions, 1 to 6."""
    if not 1 <= most <= MOST_QUESTIONS:
        raise ValueError(f"most is {most!r}; it must be 1 to {MOST_QUESTIONS}")
    return step_of(
        STEP,
        WikiQuestionsForm,
        _written,
        max_tokens=40 + TOKENS_A_QUESTION * most,
        sees_image=sees_image,
        caption=caption,
        name=name,
        statements=numbered_lines([f"{each.relation}: {each.value}" for each in statements]),
        wanted="one question" if most == 1 else f"up to {most} questions",
        language=language,
    )


def _written(form: WikiQuestionsForm) -> WrittenQuestions:
    questions, refused = dict[str, WrittenQuestion](), Counter[str]()
    for each in form.questions:
        question = each.model_copy(update={"correct_answer": _name(each.correct_answer)})
        wrong = [name for name in map(_name, each.wrong_answers) if name]
        if reason := _why_refused(question, wrong):
            refused[reason] += 1
            continue
        if len(wrong) != WRONG:
            refused[NOT_THREE] += 1
            wrong = []
        written = WrittenQuestion(each.n, each.question.strip(), question.correct_answer, tuple(wrong))
        questions.setdefault(fold(written.text), written)
    return WrittenQuestions(tuple(questions.values()), dict(refused))


def _name(text: str) -> str:
    return re.sub(r"(?<=\w{5})\.$", "", text.strip(" \"'*_`"))


def _why_refused(question: WikiQuestionForm, wrong: Sequence[str]) -> str:
    text, answer = question.question.strip(), question.correct_answer
    if not text.endswith("?") or text.count("?") != 1 or is_forged(text):
        return NO_QUESTION
    if not answer or is_forged(answer):
        return NO_ANSWER
    if _SOURCE.search(text):
        return SPEAKS_OF_SOURCE
    if mentions(text, answer):
        return IN_QUESTION
    options = [fold(each) for each in (answer, *wrong)]
    return EQUAL if len(set(options)) < len(options) else ""
