"""Texts of real replies: a model's thoughts and marks around the reply, and the checks of what it writes."""

import re
from collections.abc import Collection
from typing import Any, NamedTuple

from kbe_graph.errors import ReplyError
from kbe_graph.text import fold, on_one_line

OPEN, CLOSE = "<<<", ">>>"  # the border around data in prompts
LONGEST_NAME, LONGEST_RELATION = 80, 60
_TAG = r"(?:seed:)?(?:think\w*|thought|reasoning|reflection|scratchpad)"
_FLAGS = re.DOTALL | re.IGNORECASE
# opening and closing marks around thoughts
_PAIRS = (
    (rf"<({_TAG})>", r"</\1>"),
    (r"◁think▷", r"◁/think▷"),  # Kimi
    (r"\[THINK\]", r"\[/THINK\]"),  # Magistral
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),  # Cohere
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),  # OpenThinker
    (r"<\|channel>thought\b", r"<channel\|>"),  # Gemma
    (r"\A\s*Here(?: is|'s) my thought process:", r"Here(?: is|'s) my response:"),  # Granite
)
_THOUGHTS = tuple(re.compile(rf"{opening}.*?(?:{closing}|\Z)", _FLAGS) for opening, closing in _PAIRS)
# a template may put the opening mark into the prompt, so that the reply has only the closing one
_CLOSINGS = re.compile(
    rf"\A.*(?:</{_TAG}>|◁/think▷|\[/THINK\]|<\|END_THINKING\|>|<\|end_of_thought\|>|<channel\|>)", _FLAGS
)
_FINAL = re.compile(r"<\|channel\|>\s*final\b.{0,80}?<\|message\|>(.*?)(?:<\|(?:return|end|call|start)\|>|\Z)", _FLAGS)
_ENDS_OF_REPLY = re.compile(
    r"<\|(?:START_RESPONSE|END_RESPONSE|begin_of_solution|end_of_solution|im_end|eot_id|endoftext|end|return"
    r"|begin_of_box|end_of_box)\|>|<\|im_start\|>(?:assistant\s)?"
    r"|</?response>|\A\s*Here(?: is|'s) my response:|</s>|<eos>|<end_of_turn>|<turn\|>|<｜end▁of▁sentence｜>"
)
_FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.MULTILINE)
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "（": "(", "）": ")", "，": ","})
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\d+[.)]\s*)?")
_LABEL = re.compile(r"^(?:[A-Za-z]+\s+){0,2}question\s*:\s*", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) sorry|i (?:can(?:no|')t|won't|will not) (?:help|assist|answer|see|view|provide|fulfil|comply)"
    r"|i must decline|as an ai\b|i(?:'m| am) (?:unable|not able))",
    re.IGNORECASE,
)
_PLACEHOLDERS = frozenset({"s", "r", "o", "subject", "relation", "object", "entity", "...", ""})
_ENDS = ("?", "？", "؟")
_MARKS = re.compile(r"[_{}\[\]<>|]|\([^()]*,[^()]*,[^()]*\)")  # those of a program, or a triplet
# a prompt line inside a name or question would be read as ours when shown to a model again
_FORGED = re.compile(
    r"\b(?:question|answer|triplet|chain|picture|hops|verdict|system|user|assistant)\s*:|(?:^|\s)#{1,6} ?[a-z]",
    re.IGNORECASE,
)
_UNSPACED = "⺀"  # scripts from this character on write no spaces between words


class TripletWords(NamedTuple):
    """Triplet as words: subject, relation, object."""

    subject: str
    relation: str
    object: str


def cut_thoughts(text: str) -> str:
    """Remove the thoughts from a reply; empty if it ends before they do.

    >>> cut_thoughts("<think>Long neck.</think>giraffe"), cut_thoughts("[THINK]Long neck")
    ('giraffe', '')
    """
    if "<|channel|>" in text:
        text = (_FINAL.findall(text) or [""])[-1]
    for thoughts in _THOUGHTS:
        text = thoughts.sub("", text)
    return _ENDS_OF_REPLY.sub("", _CLOSINGS.sub("", text)).strip()


def strip_thinking(text: str) -> str:
    """Remove the model's thoughts and code fences."""
    return _FENCE.sub("", cut_thoughts(text)).strip()


def straighten_marks(text: str) -> str:
    """Replace typographic quotes, dashes, commas and parentheses with ASCII ones."""
    return text.translate(_STRAIGHT)


def on_lines(value: Any) -> Any:
    """Put each text of a reply's JSON on one line, and remove copied borders."""
    if isinstance(value, str):
        return on_one_line(value).removeprefix(OPEN).removesuffix(CLOSE).strip()
    if isinstance(value, dict):
        return {on_one_line(str(key)): on_lines(part) for key, part in value.items()}
    return [on_lines(part) for part in value] if isinstance(value, list) else value


def is_forged(text: str) -> bool:
    """Return True if a text contains a line of a prompt: one of its labels or headings."""
    return (":" in text or "#" in text) and bool(_FORGED.search(text))  # every label or heading contains one of these


def is_refusal(text: str) -> bool:
    """Return True if the reply is worded as a refusal."""
    return bool(_REFUSAL.search(straighten_marks(text)[:200]))


def is_whole(words: TripletWords) -> bool:
    """Return True if a triplet states something.

    No part is empty, a placeholder, a line of a prompt, too long, or equal to another.
    """
    if any(map(is_forged, words)):
        return False
    subject, relation, thing = map(fold, words)
    named = not {subject, relation, thing} & _PLACEHOLDERS and not any(part.startswith("<") for part in words)
    short = max(len(words.subject), len(words.object)) <= LONGEST_NAME and len(words.relation) <= LONGEST_RELATION
    return named and short and len({subject, relation, thing}) == 3


def read_question(text: str, *, hidden: Collection[str] = ()) -> str:
    """Read a reply's single question; raises ValueError for none or several, or one that mentions a hidden name."""
    lines = [_LABEL.sub("", _BULLET.sub("", line).strip(" \"'*_`")) for line in text.splitlines() if line.strip()]
    lines = [line.strip(" \"'*_`") for line in lines if line]
    if len(lines) != 1:
        raise ValueError(f"one line asked for, found {len(lines)}")
    (line,) = lines
    if not line.endswith(_ENDS) or sum(map(line.count, _ENDS)) != 1:
        raise ValueError("one question asked for, ending in a question mark")
    if _MARKS.search(line) or is_forged(line):
        raise ValueError("the question holds marks of a program, or a triplet")
    if leaks := [name for name in hidden if mentions(line, name)]:
        raise ValueError(f"the question names {leaks[0]!r}")
    return line


def mentions(line: str, name: str) -> bool:
    """Return True if a line contains a name as whole words; in scripts without spaces, anywhere.

    A single letter counts only as a capital within the line: vitamin A, but not "a lack".
    """
    text, folded = fold(line), fold(name)
    if not folded or folded not in text:
        return False
    if len(folded) == 1 and folded.isascii():
        return bool(re.search(rf"(?<=\W){folded.upper()}(?!\w)", line))
    return max(folded) >= _UNSPACED or bool(re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", text))


class StepReply(NamedTuple):
    """Text of a reply, and the reason it ended (``stop`` or ``length``)."""

    text: str
    finish: str = "stop"

    def error(self, problem: str, *, kind: str = "") -> ReplyError:
        """Build the error for an unusable reply; its kind is ``cut`` or ``invalid`` unless given."""
        return ReplyError(problem, reply=self.text, kind=kind or ("cut" if self.finish == "length" else "invalid"))

    def bare_text(self) -> str:
        """Extract the text that may contain JSON; raises ReplyError if it is empty or the model declined."""
        text = strip_thinking(self.text)
        if not text:
            raise self.error("the reply is empty")
        if "{" not in text and is_refusal(text):
            raise self.error("the model declined", kind="refused")
        return text
