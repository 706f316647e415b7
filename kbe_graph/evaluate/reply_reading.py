"""Reading of the answer in a model's reply, before a score rule or a judge compares it.

Rules never guess: a reply is ``unread`` if no rule can read it, ``refused`` if the model declined, and ``empty`` if it
contains nothing. These three have no answer and count as wrong.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.evaluate.option_reading import ANSWER_WORDS, OptionRead, read_option
from kbe_graph.evaluate.sentence_reading import read_sentence
from kbe_graph.steps.reply_text import is_refusal, strip_thinking

UNREAD, REFUSED, EMPTY = "unread", "refused", "empty"
WITHOUT_ANSWER = (EMPTY, UNREAD, REFUSED)


class ReadAnswer(NamedTuple):
    """The answer read from a reply, and the name of the rule that read it.

    Without an answer the text is empty, and ``rule`` is ``empty``, ``unread`` or ``refused``.
    """

    text: str
    rule: str


_TAG = re.compile(r"<(answer|conclusion)>((?:(?!<\1>).)*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_AROUND = ' \t\r\n*_`"“”'
_BOX_TOKENS = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
_BOX = re.compile(r"\\(?:f?boxed|fbox)\s*\{")
_STYLE = re.compile(r"\\(?:text(?:bf|it|rm)?|math(?:rm|bf|it))\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_LINK = (
    r"\s*(?:\bis\b(?! not\b)|\bis not .{1,40}? but\b|\bwould be\b|\bseems to be\b|\bmust be\b|[:=]"
    r"|[ \t][-–—](?=[ \t])|[：是为は은]|\b(?:ist|es|est|é|è)\b)"
)
_STATED = re.compile(
    rf"(?<!\w)(?P<final>final )?(?:answer\b|{ANSWER_WORDS})(?: to (?:the|this|your) question|, [^,\n]{{1,30}},)?"
    rf"[*_]*{_LINK}[\s:*_]*(?P<said>.*)",
    re.IGNORECASE,
)
_HEADED = re.compile(r"^#+\s*(?:final |short )?answer\W*\n+(?P<said>.+)", re.IGNORECASE | re.MULTILINE)
# A statement ends at its reason or with its sentence; the stop in "Mt. Helens" or "3.5" does not end it.
_END = re.compile(r",?\s+(?:because|since)\b|,\s+as\b|(?<=[^\W_]{3})[*_\"”)]*[.!](?=\s+[A-Z])|\n")
_QUOTED = re.compile(r"(?P<mark>\*\*|__|\*|_|`|\")(?P<said>(?:(?!(?P=mark)).)+)(?P=mark)[.!]?", re.DOTALL)
_CURLY = re.compile(r"“([^“”]+)”[.!]?")
_BOLD = re.compile(r"\*\*([^*\n]+)(?<!:)\*\*(?!:)")
_LIST = re.compile(r"(?:#+|[-•])\s+(.+)")
_NOT = re.compile(r"\bnot\b|n't\b|\bneither\b", re.IGNORECASE)
_TOKENS = re.compile(r"\s*(?:(?:<[|｜][\w▁]+[|｜]>|</s>|<eos>|<end_of_turn>)\s*)*")
_DECODER = json.JSONDecoder()
_MOST_OBJECTS = 20  # opening braces tried as the start of a JSON object
_KEYS = ("final_answer", "answer", "choice", "option")
_SAID_NOTHING = re.compile(
    r"\A\W*(?:(?:sorry|i apologi[sz]e|i'm afraid|unfortunately),? )?(?:(?:but )?i "
    r"(?:can(?:no|')t|do not|don't|could not|couldn't) (?:\w+ )?"
    r"(?:(?:see|view|access|open|process)\b.{0,40}\b(?:image|picture|photo|people|person|individuals?)"
    r"|(?:identify|determine|answer|help|assist)\b)|there is no (?:image|picture|photo)"
    r"|no (?:image|picture) (?:was |is )?(?:provided|attached)"
    r"|(?:i am |i'm )?unable to (?:determine|answer|tell|see|view|identify)"
    r"|(?:i |we )(?:won't|will not|would rather not|prefer not to) (?:\w+ )?(?:guess|identify|answer|say|speculate)"
    r"|it(?: is|'s) (?:not possible|impossible) to (?:determine|tell|say|identify|see)"
    r"|(?:it|that|this) (?:cannot|can't|can not) be (?:seen|determined|told|identified)"
    r"|(?:抱歉|对不起|很抱歉|申し訳|죄송)|(?:我|私は)?(?:无法|不能|できません))",
    re.IGNORECASE,
)
_GAVE_UP = re.compile(
    r"\b(?:so|and|therefore),? i (?:cannot|can't|can not|am unable to) (?:determine|identify|tell|read|say)\b",
    re.IGNORECASE,
)


def read_reply(reply: str, options: Sequence[str] = (), *, question: str = "", rule: str = "auto") -> ReadAnswer:
    """Read the answer from a reply; with ``options``, the answer is one of them.

    The words of ``question`` help to find the answer in a sentence. ``rule`` is a name in ``READING_RULES``: ``auto``
    tries all rules in turn; with another rule, a reply that it cannot read is ``unread``. Thinking is removed first,
    except by ``whole``. Raises InputError for an unknown rule.

    >>> read_reply("<think>A cow? No.</think>The answer is a giraffe, because of its neck.")
    ReadAnswer(text='a giraffe', rule='final-answer')
    >>> read_reply("Answer: **B**", ("ball", "frisbee"))
    ReadAnswer(text='frisbee', rule='letter')
    """
    check_reading_rule(rule)
    if not reply.strip():
        return ReadAnswer("", EMPTY)
    if rule == "whole":
        return _of_options(reply.strip(), options, "whole")
    text = strip_thinking(_BOX_TOKENS.sub(r"\\boxed{\1}", reply))
    if not text:
        return ReadAnswer("", EMPTY if _TOKENS.fullmatch(reply) else UNREAD)
    names = (_OPTION_MARKS if options else _MARKS) if rule == "auto" else (rule,)
    for name in names:
        answer = READING_RULES[name].read(text, question)
        if answer is not None:
            return _of_marked(answer, options, question, name) if answer else ReadAnswer("", UNREAD)
    return _unmarked(text, options, question) if rule == "auto" else ReadAnswer("", UNREAD)


def check_reading_rule(name: str) -> None:
    """Raise InputError for a name that is not in ``READING_RULES``."""
    if name not in READING_RULES:
        raise InputError(f"unknown reading rule {name!r}; use {', '.join(READING_RULES)}")


class SilentReplies(NamedTuple):
    """Number of replies without an answer, by cause."""

    empty: int
    unread: int
    refused: int


def count_silent(rules: Iterable[str]) -> SilentReplies:
    """Count the replies without an answer from the names of the reading rules."""
    counts = Counter(rules)
    return SilentReplies(counts[EMPTY], counts[UNREAD], counts[REFUSED])


def _unmarked(text: str, options: Sequence[str], question: str) -> ReadAnswer:
    """Read a text that marks no answer: a chosen option, a refusal, the answer in a sentence, or the whole text."""
    if options and (choice := read_option(text, options)).option:
        return _of_choice(choice, "")
    if _SAID_NOTHING.match(plain := text.replace("’", "'")) or _GAVE_UP.search(plain) or is_refusal(text):
        return ReadAnswer("", REFUSED)
    if options or (text.startswith("{") and not _fields(text)):
        return ReadAnswer("", UNREAD)
    answer = read_sentence(text, question)
    return ReadAnswer(answer, "sentence") if answer else ReadAnswer(text, "whole")


def _of_marked(answer: str, options: Sequence[str], question: str, rule: str) -> ReadAnswer:
    """Return the option named by a marked answer or, without options, the answer in it if it is a sentence."""
    if options or rule == "sentence":
        return _of_options(answer, options, rule)
    return ReadAnswer(read_sentence(answer, question) or answer, rule)


def _of_options(text: str, options: Sequence[str], rule: str) -> ReadAnswer:
    return _of_choice(read_option(text, options), rule) if options else ReadAnswer(text, rule)


def _of_choice(choice: OptionRead, rule: str) -> ReadAnswer:
    if choice.option is None:
        return ReadAnswer("", UNREAD)
    return ReadAnswer(choice.option, f"{rule} {choice.by}".strip())


def _tagged(text: str) -> str | None:
    tagged = [inside for _, inside in _TAG.findall(text)]
    if not tagged:
        return None
    inner = _boxed(tagged[-1])
    return tagged[-1].strip(_AROUND) if inner is None else inner


def _boxed(text: str) -> str | None:
    """Return the content of the last box, which may contain nested braces."""
    boxes = list(_BOX.finditer(text))
    if not boxes:
        return None
    inside, depth = text[boxes[-1].end() :], 1
    for place, letter in enumerate(inside):
        depth += (letter == "{") - (letter == "}")
        if not depth:
            return _STYLE.sub(r"\1", inside[:place]).strip(" $").replace("\\$", "$").replace("\\%", "%")
    return ""


def _in_object(text: str) -> str | None:
    """Return the answer in a reply's JSON object; empty if it is neither a text nor a number."""
    for brace in islice(re.finditer(r"\{", text), _MOST_OBJECTS):
        fields = _fields(text[brace.start() :])
        for key in _KEYS:
            if key in fields:
                return _plain_value(fields[key])
        if len(fields) == 1 and text.strip().startswith("{"):
            return _plain_value(next(iter(fields.values())))
    return None


def _plain_value(value: object) -> str:
    """Return a text or number as text, also from a list of one; empty for anything else."""
    if isinstance(value, list) and len(value) == 1:
        return _plain_value(value[0])
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _fields(text: str) -> Mapping[str, object]:
    for written in (text, text.replace("'", '"')):
        try:
            return {str(key).lower(): value for key, value in _DECODER.raw_decode(written)[0].items()}
        except (ValueError, RecursionError):
            continue
    return {}


def _stated(text: str) -> str | None:
    """Return the last stated answer ("the answer is", "Answer:"), preferring one stated as final."""
    statements = list(_STATED.finditer(text)) or list(_HEADED.finditer(text))
    final = [match for match in statements if match.groupdict().get("final")]
    if not statements:
        return None
    return _statement((final or statements)[-1]["said"])


def _statement(text: str) -> str:
    """Cut a statement's reason, the sentences after it, and the marks around it."""
    statement = text[: end.start()] if (end := _END.search(text)) else text
    return _unquoted(statement.strip(" \t\r*_`").rstrip("。").removesuffix(".").removesuffix("!").strip(" \t\r*_`"))


def _unquoted(text: str) -> str:
    text = text.removesuffix("です") if text.endswith("」です") else text
    is_pair = len(text) > 1 and (text[0], text[-1]) in {('"', '"'), ("“", "”"), ("'", "'"), ("「", "」")}
    return text[1:-1].rstrip(".") if is_pair else text


def _emphasised(text: str) -> str | None:
    """Return the reply without marks around the whole, or the only bold part of its last line if nothing is negated."""
    if around := _QUOTED.fullmatch(text):
        return around["said"].strip()
    if around := _CURLY.fullmatch(text) or _LIST.fullmatch(text):
        return around[1].strip()
    last = text.rpartition("\n")[2]
    bold = _BOLD.findall(last)
    return bold[0].strip(" :.") if len(bold) == 1 and not _LIST.match(last) and not _NOT.search(last) else None


class ReadingRule(NamedTuple):
    """A rule that reads replies: its description, and a function of reply and question; None means no answer."""

    says: str
    read: Callable[[str, str], str | None]


def _of_text(read: Callable[[str], str | None]) -> Callable[[str, str], str | None]:
    """Adapt a reading function that needs only the reply."""
    return lambda text, _: read(text)


READING_RULES: Mapping[str, ReadingRule] = {
    "auto": ReadingRule("each of the rules below in turn, the first that reads; else the whole reply", _of_text(str)),
    "answer-tag": ReadingRule("what the last <answer> or <conclusion> holds", _of_text(_tagged)),
    "boxed": ReadingRule(r"what the last \boxed{} holds", _of_text(_boxed)),
    "json": ReadingRule("the answer of a JSON object", _of_text(_in_object)),
    "final-answer": ReadingRule(
        'what the last "Final answer:" states, else the last "the answer is"', _of_text(_stated)
    ),
    "bold": ReadingRule("what stands in bold, in quotes or in a list of one", _of_text(_emphasised)),
    "sentence": ReadingRule(
        "what a sentence says that the question does not; Yes or No at its begin",
        lambda text, question: read_sentence(text, question) or None,
    ),
    "whole": ReadingRule("the whole reply, its thoughts included", _of_text(str)),
}
"""Reading rules by name."""

_OPTION_MARKS = ("answer-tag", "json")  # other marks of an option are handled by read_option
_MARKS = ("answer-tag", "boxed", "json", "final-answer", "bold")
