"""Questions that a model writes from statements about what an image shows: the step ``wiki_questions``.

Replies are parsed leniently, as JSON or as tagged text, and each question that does not meet the requirements is
rejected with a reason.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.steps.asker import Asker, ReplyOrigin, StepRequest, numbered_lines, step_request
from kbe_graph.steps.forms import WikiQuestionsForm
from kbe_graph.steps.reply_text import StepReply, is_forged, mentions, on_lines, straighten_marks, strip_thinking
from kbe_graph.text import fold, on_one_line

STEP = "wiki_questions"
MOST_QUESTIONS = 6
TOKENS_A_QUESTION = 160
WRONG = 3
LONGEST_QUESTION, LONGEST_ANSWER = 300, 80
NO_QUESTION = "no single question"
NO_ANSWER = "no answer"
IN_QUESTION = "the answer stands in the question"
SPEAKS_OF_SOURCE = "speaks of the caption or the statements"
EQUAL = "equal options"
NOT_THREE = "not three wrong answers"

_SPECIAL = re.compile(r"<\|[^|>]{0,40}\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>")
_ROLE = re.compile(r"^\s*\W{0,3}(?:AI|assistant|model|bot|output)\W{0,3}:\s*(?=\S|$)", re.IGNORECASE | re.MULTILINE)
_SOURCE = re.compile(
    r"\b(?:captions?|captioned|triples?|triplets?|statements?|knowledge (?:base|graph)|wikidata|wikipedia"
    r"|according to the (?:text|description|data|information|context|article))\b",
    re.IGNORECASE,
)
_PART = (
    r"(question|(?:(?:correct|right)[ _-]?)?answer|(?:wrong|incorrect)[ _-]?answers?|distractors?|options?|statement"
    r"|number|n)"
)
_NUMBERED = r"[ _#-]*(\d{0,2})"
_TAG = re.compile(
    rf"<\s*(/?)\s*{_PART}{_NUMBERED}\s*>"  # <question>, <wrong answer 2>, </question>
    rf"|^[ \t>*#\[_-]*(?:\d{{1,2}}[.)]\s*)?\**(){_PART}{_NUMBERED}[ \t*\]_]*:[ \t*_]*",  # **Question 1:**, [n]:
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = re.compile(r"^\s*(?:[-*•]|\(?[a-dA-D1-4][.)])\s+")
_NAMES: Mapping[str, tuple[str, ...]] = {
    "n": ("n", "number", "statement", "statement_number", "triple"),
    "question": ("question", "q"),
    "answer": ("correct_answer", "correct answer", "correctAnswer", "right_answer", "answer"),
    "wrong": ("wrong_answers", "wrong answers", "wrongAnswers", "wrong_answer", "incorrect_answers", "distractors"),
}


class StatementLine(NamedTuple):
    """Statement as shown in a prompt: property and value."""

    relation: str
    value: str


class WrittenQuestion(NamedTuple):
    """Question as a model wrote it; ``number`` is its statement's number, 0 if the reply gives none.

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


def render_wiki_questions(
    caption: str,
    name: str,
    statements: Sequence[StatementLine],
    *,
    most: int = 3,
    sees_image: bool = True,
    language: str = "English",
) -> StepRequest:
    """Render the request for up to ``most`` questions; raises ValueError unless ``most`` is 1 to 6."""
    if not 1 <= most <= MOST_QUESTIONS:
        raise ValueError(f"most is {most!r}; it must be 1 to {MOST_QUESTIONS}")
    lines = numbered_lines(tuple(f"{each.relation}: {each.value}" for each in statements))
    wanted = "one question" if most == 1 else f"up to {most} questions"
    tokens = 40 + TOKENS_A_QUESTION * most
    return step_request(
        STEP, WikiQuestionsForm, sees_image=sees_image, max_tokens=tokens, caption=caption, name=name,
        statements=lines, wanted=wanted, language=language,
    )  # fmt: skip


def parse_wiki_questions(reply: StepReply) -> WrittenQuestions:
    """Parse each question of a reply separately, dropping truncated ones and rejecting invalid ones.

    Raises ReplyError if the reply contains no question at all or the model declined.
    """
    text = _without_marks(reply.bare_text())
    parts = [*_objects(text)] or [*_tagged(text, is_cut=reply.finish == "length")]
    if not parts:
        if re.search(r'"questions"\s*:\s*\[\s*\]', text):
            return WrittenQuestions((), {})
        raise reply.error("no question in the reply")
    questions, refused = dict[str, WrittenQuestion](), Counter[str]()
    for each in parts:
        question, reason = _checked(each)
        if reason:
            refused[reason] += 1
        if question:
            questions.setdefault(fold(question.text), question)
    return WrittenQuestions(tuple(questions.values()), dict(refused))


def _without_marks(text: str) -> str:
    return _ROLE.sub("", _SPECIAL.sub("\n", strip_thinking(straighten_marks(text)))).strip()


class _Parts(NamedTuple):
    number: str
    question: str
    answer: str
    wrong: Sequence[str]


def _objects(text: str) -> Iterator[_Parts]:
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            value, end = _mended(text, at)
        yield from _in_value(value)
        at = text.find("{", end)


_INNERMOST = re.compile(r"\{[^{}]*\}")


def _mended(text: str, at: int) -> tuple[Any, int]:
    match = _INNERMOST.match(text, at)
    if not match:
        return None, at + 1
    from json_repair import repair_json  # it would also close a truncated object

    return repair_json(match[0], return_objects=True), match.end()


def _in_value(value: Any) -> Iterator[_Parts]:
    value = on_lines(value)
    for each in value if isinstance(value, list) else [value]:
        if not isinstance(each, dict):
            continue
        if isinstance(each.get("questions"), list):
            yield from _in_value(each["questions"])
        elif question := _field(each, "question"):
            yield _Parts(_text(_field(each, "n")), _text(question), _text(_field(each, "answer")), _wrong_of(each))


def _field(value: Mapping[str, Any], name: str) -> Any:
    return next((value[key] for key in _NAMES[name] if key in value), "")


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) else ""


def _wrong_of(value: Mapping[str, Any]) -> list[str]:
    wrong = _field(value, "wrong")
    if isinstance(wrong, list):
        return [_text(each) for each in wrong]
    if isinstance(wrong, dict):
        return [_text(each) for each in wrong.values()]
    fields = [each for key, each in value.items() if re.fullmatch(r"(?:wrong|incorrect)[ _]?answer[ _]?\d", key)]
    return [_text(each) for each in fields] or ([_text(wrong)] if wrong else [])


def _tagged(text: str, *, is_cut: bool) -> Iterator[_Parts]:
    parts = [*_tagged_parts(text)]
    first = next((name for name, _ in parts if name in {"n", "question"}), "")
    blocks: list[dict[str, list[str]]] = []
    for name, inner in parts:
        if name == first:
            blocks.append({})
        if blocks:
            blocks[-1].setdefault(name, []).extend(_wrong_lines(inner) if name == "wrong" else [_first_line(inner)])
    for block in blocks[:-1] if is_cut else blocks:
        if "question" in block:
            number, question, answer = (next(iter(block.get(name, ())), "") for name in ("n", "question", "answer"))
            yield _Parts(number, question, answer, block.get("wrong", []))


def _tagged_parts(text: str) -> Iterator[tuple[str, str]]:
    tags = [*_TAG.finditer(text)]
    ends = (*(tag.start() for tag in tags[1:]), len(text))
    for tag, end in zip(tags, ends, strict=False):
        if not tag[1] and (inner := text[tag.end() : end].strip()):
            yield _part_of(tag[2] or tag[5]), inner


def _part_of(tag: str) -> str:
    tag = tag.lower()
    if tag.startswith(("wrong", "incorrect", "distractor", "option")):
        return "wrong"
    if tag.startswith(("correct", "right", "answer")):
        return "answer"
    return "question" if tag == "question" else "n"


def _wrong_lines(inner: str) -> list[str]:
    lines = _lines(inner)
    parts = [part for each in re.split(r"[,;]", lines[0]) if (part := _plain(each))] if len(lines) == 1 else []
    return parts if len(parts) == WRONG else lines


def _lines(inner: str) -> list[str]:
    return [_plain(line) for line in inner.splitlines() if _plain(line)]


def _first_line(inner: str) -> str:
    return next(iter(_lines(inner)), "")


def _plain(line: str) -> str:
    return on_one_line(_ITEM.sub("", line)).strip(" \"'*_`")


def _name(line: str) -> str:
    return re.sub(r"(?<=\w{5})\.$", "", _plain(line))


def _checked(parts: _Parts) -> tuple[WrittenQuestion | None, str]:
    text, answer = _plain(parts.question), _name(parts.answer)
    wrong = [name for each in parts.wrong if (name := _name(each))]
    reason = _why_refused(text, answer, wrong)
    if reason:
        return None, reason
    digits = re.search(r"\d{1,3}", parts.number)
    number = int(digits[0]) if digits else 0
    if len(wrong) != WRONG:
        return WrittenQuestion(number, text, answer), NOT_THREE
    return WrittenQuestion(number, text, answer, tuple(wrong)), ""


def _why_refused(text: str, answer: str, wrong: Sequence[str]) -> str:
    if not text.endswith("?") or text.count("?") != 1 or len(text) > LONGEST_QUESTION or is_forged(text):
        return NO_QUESTION
    if not answer or len(answer) > LONGEST_ANSWER or is_forged(answer):
        return NO_ANSWER
    if _SOURCE.search(text):
        return SPEAKS_OF_SOURCE
    if mentions(text, answer):
        return IN_QUESTION
    options = [fold(each) for each in (answer, *wrong)]
    return EQUAL if len(set(options)) < len(options) else ""


@dataclass(frozen=True, slots=True)
class WikiQuestionWriter:
    """Writer that asks a model for questions from statements, ``most`` per image."""

    asker: Asker
    most: int = 3

    async def __call__(
        self, caption: str, name: str, statements: Sequence[StatementLine], pictures: tuple[Path, ...] = ()
    ) -> tuple[WrittenQuestions, ReplyOrigin]:
        """Write questions in one call, with the images, if any; raises NoCandidate like ``Asker.ask``."""
        step = render_wiki_questions(
            caption, name, statements, most=self.most, sees_image=bool(pictures), language=self.asker.language
        )
        return await self.asker.ask(step, parse_wiki_questions, pictures=pictures)
