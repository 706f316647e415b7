"""Reading of the answer in a model's reply, before a score rule or a judge compares it.

Rules never guess: a reply is ``unread`` if no rule can read it, ``refused`` if the model declined, and ``empty`` if it
contains nothing. These have no answer and count as wrong, like a reply that was ``cut`` at its longest length; a judge
that is a model sees the whole of an unread reply.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import NamedTuple

from kbe_graph.steps.reply_text import is_refusal, strip_thinking
from kbe_graph.text import compatible
from kbe_graph.types import Prediction

UNREAD, REFUSED, EMPTY, CUT = "unread", "refused", "empty", "cut"
WITHOUT_ANSWER = (EMPTY, UNREAD, REFUSED)
_AROUND = " \t\r\n*_`\"“”'"
_TAG = re.compile(r"<(answer|conclusion)>(?P<said>(?:(?!<\1>).)*?)</\1>", re.DOTALL | re.IGNORECASE)
_BOX = re.compile(r"\\(?:f?boxed|fbox)\s*\{(?P<said>(?:[^{}]|\{[^{}]*\})*)\}")
_BOX_TOKENS = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
_STYLE = re.compile(r"\\(?:text|math)(?:bf|it|rm)?\s*\{(.*)\}")
_BOLD = re.compile(r"\*\*(?P<said>[^*\n]+)\*\*[.!]?")
_NOUN = (
    r"(?:(?:the |my )?(?:(?:final |correct |right |short |best )*answer|(?:correct|right|best) (?:option|choice))"
    r"|(?:la |die |a )?(?:réponse|antwort|respuesta|risposta|resposta|ответ)|(?:正确)?答案|答え)"
)
_STATED = re.compile(
    rf"(?:^|(?<=[.!?。])(?=\s))[\s#*_]*+(?:(?:so|thus|therefore|hence),? )?{_NOUN}[*_]*+"
    r"(?: (?:is|ist|est|es|è|é)\b|[是は]|\s*+[:：=])[:\s]*+",
    re.IGNORECASE,
)
_HEADING = re.compile(rf"^([ #*_]*+{_NOUN})[*_:：]*+[ \t]*+\n\s*+", re.IGNORECASE | re.MULTILINE)
_CHOSEN = re.compile(r"(?P<said>.+) is (?:the )?(?:correct|right)(?: answer| option| choice)?[.!]?", re.IGNORECASE)
_KEYS = ("final_answer", "answer", "choice", "option")
_RELATION = re.compile(r"\s*([<>=≤≥≠])\s*")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ARTICLE = re.compile(r"(?:an?|the) (?=\S)")
_SENTENCE = re.compile(r"(?P<about>[^.!?;:,]+?\s(?:is|are|was|were))\s(?:(?:at|in|on|an?|the)\s)*(?P<end>.+)")
_DOUBT = re.compile(
    r"\b(?:not|never|no|neither|nor|or|if|but|wrong|incorrect|false|except|unlike|unlikely|rule|exclude)|n['’]t\b"
)
_LONGEST = 200  # characters of a sentence that states an option, or an answer and its explanation
_ABOUT = r"(?:it|its|this|that|these|those|they|their|the|he|his|she|her|there|you|we|i)"
_EXPLAINED = re.compile(
    r"(?P<said>.+?)(?:[\s,;:.(–—-]+(?:because|explanation:|reason:)|[,;(–—][\s(]*(?:since(?! \d)|as(?= "
    + _ABOUT
    + r"\b)|which\b)|(?:[.;]\s|\n|(?:(?<=\byes)|(?<=\bno)),\s|\s[–—-]\s)\s*+(?="
    + _ABOUT
    + r"\b))(?P<why>[^.!?;\n]*)[.!?)]*",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?:but|however|wait|actually|although|though|or|maybe|perhaps|might|may|could|also|instead|wrong|incorrect|sorry)\b"
)
_LETTER = re.compile(
    r"(?:- )?(?:(?:option|choice) )?[(\[]*(?P<letter>[a-z])[)\].:,;!*]*(?:\s+-\s)?\s*(?P<rest>.*)", re.IGNORECASE
)
_LONGEST_STEPS = 10_000  # characters of reasoning before a last line that is an option


class ReadAnswer(NamedTuple):
    """The answer read from a reply, and the name of the rule that read it.

    Without an answer the text is empty, and ``rule`` is ``empty``, ``unread`` or ``refused``.
    """

    text: str
    rule: str


def count_silent(rules: Iterable[str]) -> dict[str, int]:
    """Count the replies without an answer by cause, from the names of the reading rules."""
    counts = Counter(rules)
    return {name: counts[name] for name in WITHOUT_ANSWER}


def read_reply(reply: str, options: Sequence[str] = ()) -> ReadAnswer:
    """Read the answer from a reply: what it marks as its answer, else the whole reply; of ``options``, one of them.

    Thinking is removed first.

    >>> read_reply("<think>A cow? No.</think><answer>giraffe</answer>")
    ReadAnswer(text='giraffe', rule='marked')
    >>> read_reply("Answer: **B**", ("ball", "frisbee"))
    ReadAnswer(text='frisbee', rule='letter')
    """
    if not reply.strip():
        return ReadAnswer("", EMPTY)
    text = strip_thinking(_BOX_TOKENS.sub(r"\\boxed{\1}", reply.strip()))
    marked = _marked(text)
    answer = text if marked is None else marked
    for part in _parts(answer, options) if options else ():
        if (choice := read_option(part, options)).text:
            return choice
    if marked is None and is_refusal(text):
        return ReadAnswer("", REFUSED)
    if options or not answer:
        return ReadAnswer("", UNREAD)
    return ReadAnswer(answer, "whole" if marked is None else "marked")


def _parts(answer: str, options: Sequence[str]) -> Iterator[str]:
    """Yield what of an answer may be an option: the whole first."""
    yield answer
    yield without_explanation(answer, options)
    yield _chosen(answer, options)


def without_explanation(text: str, options: Sequence[str] = ()) -> str:
    """Return an answer without the sentence that explains it; the whole text if this may take it back or is an option.

    >>> without_explanation("cat, because it has whiskers"), without_explanation("cat. It could also be a dog.")
    ('cat', 'cat. It could also be a dog.')
    """
    explained = _EXPLAINED.fullmatch(text) if len(text) <= _LONGEST else None
    if explained is None or _TURN.search(explained["why"].casefold()) or read_option(explained["why"], options).text:
        return text
    return explained["said"]


def with_answer(prediction: Prediction, options: Sequence[str] = ()) -> Prediction:
    """Read the answer from a prediction's reply; if it changed, the verdicts are dropped.

    No answer is read from a reply that was cut.
    """
    if prediction.read_by == CUT:
        return prediction
    reply = prediction.whole_reply
    text, read_by = read_reply(reply, options)
    if (text, read_by) == (prediction.text, prediction.read_by):
        return prediction
    return replace(prediction.unjudged, text=text, read_by=read_by, reply="" if text == reply else reply)


def _marked(text: str) -> str | None:
    marks = [*_TAG.finditer(text)] or [*_BOX.finditer(text)]
    texts = [mark["said"] for mark in marks] or _statements(text)
    if not texts and (bold := _BOLD.fullmatch(text)):
        texts = [bold["said"]]
    if not texts:
        return _of_object(text) if text.startswith("{") else None
    answers = {*map(_without_marks, texts)}
    return answers.pop() if len(answers) == 1 else ""


def _statements(text: str) -> list[str]:
    lines = [_STATED.split(line)[1:] for line in _HEADING.sub(r"\1: ", text).split("\n")]
    return [part for line in lines for part in line] if lines[-1] else []


def _chosen(text: str, options: Sequence[str]) -> str:
    """Return what a sentence calls correct, or the last line after sentences, none of which is an option."""
    if len(text) <= _LONGEST and (chosen := _CHOSEN.fullmatch(text)):
        return chosen["said"]
    steps, _, last = text.rpartition("\n")
    if len(steps) > _LONGEST_STEPS or not steps.rstrip().endswith((".", "!")):
        return ""
    return "" if any(_is_choice(line, options) for line in steps.split("\n")) else last


def _is_choice(line: str, options: Sequence[str]) -> bool:
    return bool(_STATED.match(line) or _by_letter(line, options) or read_option(line, options).text)


def _without_marks(text: str) -> str:
    inner = text.strip(_AROUND)
    if marked := _BOX.fullmatch(inner) or _BOLD.fullmatch(inner):
        inner = marked["said"].strip(_AROUND)
    return _STYLE.sub(r"\1", inner).removesuffix(".").removesuffix("。").strip(_AROUND)


def _of_object(text: str) -> str:
    try:
        fields = {str(key).lower(): value for key, value in json.loads(text).items()}
    except (ValueError, RecursionError):
        return ""
    values = [fields[key] for key in _KEYS if key in fields]
    is_plain = bool(values) and isinstance(values[0], str | int | float) and not isinstance(values[0], bool)
    return str(values[0]).strip() if is_plain else ""


def read_option(text: str, options: Sequence[str]) -> ReadAnswer:
    """Read the option that a text consists of: its letter, its text, or its letter and its text.

    A sentence that ends in "is" and an option, and names no other, says this option. Any other text is unread: two
    letters, a letter beside the text of another option, any other sentence. Signs count, so that "5" is neither "-5"
    nor "$5".

    >>> read_option("(B) frisbee", ["ball", "frisbee"])
    ReadAnswer(text='frisbee', rule='letter')
    """
    if options.count(text.strip()) == 1:
        return ReadAnswer(text.strip(), "text")
    named = [option for option in options if option.strip() and _key(option) == _key(text)]
    by_letter = _by_letter(text, options)
    if len(named) == 1 and by_letter in {None, named[0]}:
        return ReadAnswer(named[0], "text")
    if named or by_letter is None:
        stated = "" if named else _stated_option(_key(text), options)
        return ReadAnswer(stated, "text" if stated else UNREAD)
    return ReadAnswer(by_letter, "letter")


def _stated_option(text: str, options: Sequence[str]) -> str:
    match = _SENTENCE.fullmatch(text)
    if match is None or _DOUBT.search(match["about"]) or len(text) > _LONGEST:
        return ""
    ends = [option for option in options if option.strip() and _key(option) == match["end"]]
    others = [option for option in options if option.strip() and f" {_key(option)} " in f" {match['about']} "]
    return ends[0] if len(ends) == 1 and not others else ""


def _by_letter(text: str, options: Sequence[str]) -> str | None:
    match = _LETTER.fullmatch(unicodedata.normalize("NFKC", text).strip(_AROUND))
    place = ascii_uppercase.index(match["letter"].upper()) if match else len(options)
    if match is None or place >= len(options):
        return None
    rest = match["rest"].strip(_AROUND)
    is_same = _key(options[place]) in {_key(rest), _key(rest.removeprefix("(").removesuffix(")"))}
    return options[place] if not rest or is_same else None


def _key(text: str) -> str:
    plain = " ".join(_RELATION.sub(r"\1", compatible(text)).casefold().strip(_AROUND).split())
    return _ARTICLE.sub("", _GROUPED.sub("", plain.rstrip(".!。")), count=1).strip()
