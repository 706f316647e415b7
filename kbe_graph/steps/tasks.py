"""Tasks with one prompt each: blind answers, answers and verdicts, parts of forms, variants, wiki questions."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from kbe_graph.errors import NoCandidate, ReplyError
from kbe_graph.steps.asker import (
    REPLY,
    Asker,
    ReplyOrigin,
    Step,
    all_yes,
    chain_text,
    in_order,
    labelled_lines,
    numbered_lines,
)
from kbe_graph.steps.forms import (
    AlsoRightForm,
    AlternativesForm,
    ChoicesForm,
    ExtractedJudgeForm,
    GuessForm,
    JudgeForm,
    StatementForm,
    WikiQuestionForm,
    WikiQuestionsForm,
)
from kbe_graph.steps.prompt import Data
from kbe_graph.steps.reply_text import is_forged, mentions
from kbe_graph.text import fold, on_one_line
from kbe_graph.types import Alternative, Question, Sample

GUESS_BATCH, ALTERNATIVES_BATCH, JUDGE_BATCH = 20, 8, 20
TOKENS_A_GUESS, TOKENS_OF_ALTERNATIVES, TOKENS_A_JUDGEMENT = 24, 120, 16
LONGEST_ANSWER = 256  # tokens
MOST_ANSWER = 20_000  # characters kept of an answer, including its thoughts
PART_TOKENS = 160
SILENT = {f"{REPLY}{kind}": kind for kind in ("refused", "empty", "cut")}
SILENT |= {f"{REPLY}filtered": "refused", f"{REPLY}blank": "cut"}


def guess_step(texts: Sequence[str], *, language: str = "English", tries: int = 1) -> Step[list[tuple[str, ...]]]:
    """Ask for up to ``tries`` short answers to each question without its image, the most likely first.

    Questions in the same words are asked once. A model may give more answers than requested; the rest is ignored. A
    missing answer is empty.
    """

    def parse(form: GuessForm) -> list[tuple[str, ...]]:
        answers = {answer.n: tuple(filter(None, answer.a))[:tries] for answer in reversed(form.answers)}
        by_text = dict(zip(asked, in_order(answers, len(asked), missing=()), strict=True))
        return [by_text[text] for text in texts]

    asked = list(dict.fromkeys(texts))
    guesses = "one answer" if tries == 1 else f"up to {tries} answers"
    values: dict[str, Data] = {"questions": numbered_lines(asked), "guesses": guesses, "language": language}
    return Step("guess", GuessForm, parse, values, 20 + TOKENS_A_GUESS * len(asked) * tries, sees_image=False)


async def guess_answers(
    asker: Asker, texts: Sequence[str], *, tries: int = 1
) -> tuple[list[tuple[str, ...]], ReplyOrigin]:
    """Guess the answers in one call, most likely first; raises NoCandidate if the reply is unusable."""
    return await asker.ask(guess_step(texts, language=asker.language, tries=tries))


async def first_guesses(asker: Asker, texts: Sequence[str]) -> dict[str, str]:
    """Map each question to its first guess, in one call; empty if the reply is unusable."""
    try:
        answers, _ = await guess_answers(asker, texts)
    except NoCandidate:
        return {}
    return {text: each[0] if each else "" for text, each in zip(texts, answers, strict=True)}


def alternatives_step(
    questions: Sequence[Question], *, language: str = "English"
) -> Step[list[tuple[Alternative, ...]]]:
    """Ask, without images, for things that they could show instead under the same words, and the answers then.

    These show whether the image decides the answer (the counterfactual test). A missing list is empty.
    """

    def parse(form: AlternativesForm) -> list[tuple[Alternative, ...]]:
        others = {
            each.n: tuple(Alternative(other.thing.strip(), other.answer.strip()) for other in each.others)
            for each in reversed(form.questions)
        }
        return in_order(others, len(questions), missing=())

    items = [
        {"question": each.text, "shown": each.start.label, "chain": chain_text(each.explored), "answer": each.answer}
        for each in questions
    ]
    values: dict[str, Data] = {"questions": labelled_lines(items), "language": language}
    most = 20 + TOKENS_OF_ALTERNATIVES * len(questions)
    return Step("alternatives", AlternativesForm, parse, values, most, sees_image=False)


async def name_alternatives(asker: Asker, questions: Sequence[Question]) -> list[tuple[Alternative, ...]]:
    """Name the alternatives of each question in one call; raises NoCandidate if the reply is unusable."""
    return (await asker.ask(alternatives_step(questions, language=asker.language)))[0]


class Judgeable(NamedTuple):
    """Answer to judge, with its question, the right answer and its aliases."""

    question: str
    right: str
    aliases: tuple[str, ...]
    answer: str


TOKENS_AN_EXTRACT = 60
JudgeStepName = Literal["judge", "judge_paper", "judge_mdk12"]


def judge_step(answers: Sequence[Judgeable], step: JudgeStepName = "judge") -> Step[list[bool]]:
    """Ask for verdicts on answers to questions about one image.

    The paper's judge sees neither the questions nor the image (KBE, section 4.1), and MDK12's no image: it extracts the
    answer from the reply before it judges.
    """
    items = []
    for each in answers:
        right = each.right + (f" (also: {', '.join(each.aliases)})" if each.aliases else "")
        item = {"question": each.question, "right answer": right, "answer": each.answer}
        items.append({"reference": right, "response": each.answer} if step == "judge_paper" else item)
    form, tokens = (ExtractedJudgeForm, TOKENS_AN_EXTRACT) if step == "judge_mdk12" else (JudgeForm, 0)
    most = 20 + (TOKENS_A_JUDGEMENT + tokens) * len(answers)
    parse, values = partial(_judgements, count=len(answers)), {"answers": labelled_lines(items)}
    return Step(step, form, parse, values, most, sees_image=step == "judge")


def _judgements(form: JudgeForm, count: int) -> list[bool]:
    """Read all verdicts: an answer judged both right and wrong counts as wrong, and verdicts are never made up."""
    right = all_yes((verdict.n, verdict.right) for verdict in form.verdicts)
    if len(right) < count:
        raise ValueError(f"{count} answers to judge, found verdicts on those numbered {sorted(right)!r}")
    return in_order(right, count, missing=False)


async def judge_batch(
    asker: Asker, sample: Sample, answers: Sequence[Judgeable], *, step: JudgeStepName = "judge"
) -> list[bool] | None:
    """Judge each answer to questions about a sample's image; None if the reply is unusable."""
    try:
        return (await asker.ask(judge_step(answers, step), sample if step == "judge" else None))[0]
    except NoCandidate:
        return None


class ModelAnswer(NamedTuple):
    """Model's reply and the number of tokens it generated (None: not counted).

    The text is empty if ``declined`` is set: ``refused`` (by the model or the endpoint's content filter), ``empty``, or
    ``cut`` at the longest length.
    """

    text: str
    tokens: int | None = None
    declined: str = ""


def answer_step(text: str, *, sees_image: bool = True) -> Step[str]:
    """Ask for a short answer to a question, in plain text (KBE, section 4.1)."""
    name = "answer" if sees_image else "answer_blind"
    return Step(name, None, _answer, {"question": text}, LONGEST_ANSWER, sees_image)


def _answer(text: str) -> str:
    lines = (on_one_line(line) for line in re.sub("<<<|>>>", "", text).splitlines())
    answer = "\n".join(lines).strip()[:MOST_ANSWER]
    if not answer:
        raise ReplyError("the reply is empty", reply=text, kind="empty")
    return answer


async def answer_question(
    asker: Asker, text: str, sample: Sample, *, sees_image: bool = True, draw: int = 0
) -> ModelAnswer | None:
    """Answer a question, with empty text if it declined or was cut; None without a reply or a required image.

    ``draw`` distinguishes several answers to the same question.
    """
    try:
        answer, reply = await asker.reply(answer_step(text, sees_image=sees_image), sample, draw=draw)
    except NoCandidate as none:
        return ModelAnswer("", declined=SILENT[none.reason]) if none.reason in SILENT else None
    return ModelAnswer(answer, reply.usage.output or None)


def choices_step(
    question: str, answer: str, accepted: Sequence[str], *, language: str = "English"
) -> Step[tuple[str, ...]]:
    """Ask for wrong options for a question."""

    def parse(form: ChoicesForm) -> tuple[str, ...]:
        if not form.options:
            raise ValueError("no options in the reply")
        return _distinct(form.options)

    values = {"question": question, "answer": answer, "accepted": ", ".join(accepted), "language": language}
    return Step("choices", ChoicesForm, parse, values, PART_TOKENS, sees_image=False)


def also_right_step(question: str, accepted: Sequence[str], *, language: str = "English") -> Step[tuple[str, ...]]:
    """Ask for other right answers to a question, of which there may be none."""
    values = {"question": question, "accepted": ", ".join(accepted), "language": language}
    return Step(
        "also_right", AlsoRightForm, lambda form: _distinct(form.answers), values, PART_TOKENS, sees_image=False
    )


def _distinct(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(on_one_line, texts)))


def statement_step(question: str, answer: str, *, language: str = "English") -> Step[str]:
    """Ask to rewrite a question as a statement with a gap; the outcome is empty if the model writes none."""
    values = {"question": question, "answer": answer, "language": language}

    def parse(form: StatementForm) -> str:
        return on_one_line(form.statement)

    return Step("statement", StatementForm, parse, values, PART_TOKENS, sees_image=False)


def other_right_step(question: str, answer: str, wrong: Sequence[str]) -> Step[frozenset[str]]:
    """Ask which supposedly wrong options may be right."""

    def parse(form: JudgeForm) -> frozenset[str]:
        verdicts = _judgements(form, len(wrong))
        return frozenset(name for name, may_be in zip(wrong, verdicts, strict=True) if may_be)

    values: dict[str, Data] = {"question": question, "answer": answer, "options": numbered_lines(wrong)}
    return Step("other_right", JudgeForm, parse, values, 20 + TOKENS_A_JUDGEMENT * len(wrong))


STEP = "wiki_questions"
MOST_QUESTIONS = 6
TOKENS_A_WIKI_QUESTION = 160
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
    values: dict[str, Data] = {"caption": caption, "name": name, "language": language}
    values["statements"] = numbered_lines([f"{each.relation}: {each.value}" for each in statements])
    values["wanted"] = "one question" if most == 1 else f"up to {most} questions"
    return Step(STEP, WikiQuestionsForm, _wiki_written, values, 40 + TOKENS_A_WIKI_QUESTION * most, sees_image)


def _wiki_written(form: WikiQuestionsForm) -> WrittenQuestions:
    questions, refused = dict[str, WrittenQuestion](), Counter[str]()
    for each in form.questions:
        question = each.model_copy(update={"correct_answer": _wiki_name(each.correct_answer)})
        wrong = [name for name in map(_wiki_name, each.wrong_answers) if name]
        if reason := _why_refused(question, wrong):
            refused[reason] += 1
            continue
        if len(wrong) != WRONG:
            refused[NOT_THREE] += 1
            wrong = []
        written = WrittenQuestion(each.n, each.question.strip(), question.correct_answer, tuple(wrong))
        questions.setdefault(fold(written.text), written)
    return WrittenQuestions(tuple(questions.values()), dict(refused))


def _wiki_name(text: str) -> str:
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
