"""Parser for the text of real replies: prose around triplets, prompt echoes, truncated lines, code fences and tables.

Nothing is guessed: an incomplete triplet, an unknown ID or a wrong count is dropped or rejected, never repaired.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from kbe_graph.errors import ReplyError
from kbe_graph.steps.prompt import CLOSE, OPEN
from kbe_graph.steps.thoughts import cut_thoughts
from kbe_graph.text import fold, on_one_line

LONGEST_NAME, LONGEST_RELATION = 80, 60
_FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.MULTILINE)
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "（": "(", "）": ")", "，": ","})
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\d+[.)]\s*)?")
_LABEL = re.compile(r"^(?:[A-Za-z]+\s+){0,2}question\s*:\s*", re.IGNORECASE)
_ID = re.compile(r"^\s*(?:[-*•]\s*)?\**([VT])\s*(\d+)\**\s*[.:)\-]*\s*", re.IGNORECASE)
_IDS = re.compile(r"^\W*[VT]\d+(?:\W+[VT]\d+)*\W*$", re.IGNORECASE)
_PARENTHESIS = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_YES_OR_NO = r"\**(yes|no)\b(?=\s*(?:$|[.,:;!)*\"'-]))"
_VERDICT = re.compile(rf"^\W*(\d+)\s*[.:)\-]*\s*{_YES_OR_NO}", re.IGNORECASE)
_FIRST_VERDICT = re.compile(rf"^\W*{_YES_OR_NO}", re.IGNORECASE | re.MULTILINE)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) sorry|i (?:can(?:no|')t|won't|will not) (?:help|assist|answer|see|view|provide|fulfil|comply)"
    r"|i must decline|as an ai\b|i(?:'m| am) (?:unable|not able))",
    re.IGNORECASE,
)
_PLACEHOLDERS = frozenset({"s", "r", "o", "subject", "relation", "object", "entity", "...", ""})
_ENDS = ("?", "？", "؟")
_MARKS = re.compile(r"[_{}\[\]<>|]")
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


class NumberedTriplet(NamedTuple):
    """Triplet with its ID, such as V1 or T2; the ID is empty if there was none."""

    id: str
    words: TripletWords | None


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


def strip_thinking(text: str) -> str:
    """Remove the model's thoughts and code fences."""
    return _FENCE.sub("", cut_thoughts(text)).strip()


def plain_text(text: str, *, finish: str = "stop", echoes: Collection[str] = ()) -> str:
    """Strip a text, normalise its punctuation, and cut it at the first line that echoes the prompt.

    ``echoes`` are the beginnings of such lines. If there is none and ``finish`` is ``length``, the last line is
    incomplete and dropped.
    """
    lines = [on_one_line(line) for line in straighten_marks(strip_thinking(text)).splitlines()]
    starts = tuple(echo.casefold() for echo in echoes)
    cut = next((place for place, line in enumerate(lines) if line.strip(" *>-_").casefold().startswith(starts)), None)
    if cut is None and finish == "length":
        cut = len(lines) - 1
    return "\n".join(lines[:cut]).strip()


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


def read_triplet(line: str) -> TripletWords | None:
    """Read the first complete triplet of a line, if there is one.

    It is a parenthesis, split at its first two commas, or the three cells of a table row.
    """
    return next(iter(_triplets(line)), None)


def read_triplets(text: str) -> list[TripletWords]:
    """Read the complete triplets of the text without duplicates, in order."""
    return list(dict.fromkeys(triplet for line in text.splitlines() for triplet in _triplets(line)))


def _triplets(line: str) -> Iterator[TripletWords]:
    if line.strip().startswith("|"):
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]]
    else:
        rows = [[part.strip(" \"'*_`[]") for part in inside.split(",", 2)] for inside in _PARENTHESIS.findall(line)]
    for parts in rows:
        if len(parts) == 3 and is_whole(words := TripletWords(*(part.replace("_", " ").strip() for part in parts))):
            yield words


def read_numbered_triplets(text: str) -> Iterator[NumberedTriplet]:
    """Yield the triplet of each line with its ID; a line of IDs only yields them without triplets."""
    for line in text.splitlines():
        id_ = _ID.match(line)
        if _IDS.match(line):
            yield from (NumberedTriplet(name.upper(), None) for name in re.findall(r"[VT]\d+", line, re.IGNORECASE))
        elif id_ or read_triplet(line):
            yield NumberedTriplet(f"{id_.group(1).upper()}{id_.group(2)}" if id_ else "", read_triplet(line))


def with_subject(triplets: Sequence[TripletWords], subject: str) -> list[TripletWords]:
    """Keep the triplets about ``subject``, by folded name; those copied from the prompt's examples have another."""
    return [triplet for triplet in triplets if fold(triplet.subject) == fold(subject)]


def read_verdicts(text: str, count: int, *, is_cut: bool = False) -> list[bool]:
    """Read the verdicts numbered 1 to ``count``, in order; see ``verdicts_in_order``.

    Also raises ReplyError if the text is truncated and does not have exactly these: a missing one may have been a yes.
    """
    matches = [_VERDICT.match(line) for line in text.splitlines()]
    pairs = [(int(match.group(1)[:4]), match.group(2).lower() == "yes") for match in matches if match]
    if is_cut and sorted(number for number, _ in pairs) != list(range(1, count + 1)):
        raise ReplyError("the list of verdicts was cut", reply=text, kind="cut")
    try:
        return verdicts_in_order(pairs, count)
    except ValueError as error:
        raise ReplyError(str(error), reply=text) from None


def verdicts_in_order(pairs: Iterable[tuple[int, bool]], count: int) -> list[bool]:
    """Order numbered verdicts from 1 to ``count``; a missing or contradictory one counts as no.

    Raises ValueError if more than half are missing or a number is out of range, as the rest is then unreliable.
    """
    verdicts: dict[int, bool] = {}
    for number, ok in pairs:
        verdicts[number] = ok and verdicts.get(number, True)
    if 2 * len(verdicts) < count or not set(verdicts) <= set(range(1, count + 1)):
        raise ValueError(f"{count} verdicts asked for, found those numbered {sorted(verdicts)!r}")
    return [verdicts.get(number, False) for number in range(1, count + 1)]


def read_verdict(text: str) -> bool:
    """Read the verdict of a reply that begins with yes or no and contains no other; raises ReplyError."""
    match = _FIRST_VERDICT.match(text)
    if not match or len({word.lower() for word in _FIRST_VERDICT.findall(text)}) > 1:
        raise ReplyError("no verdict at the start of the reply", reply=text)
    return match.group(1).lower() == "yes"


def read_question(text: str, *, hidden: Collection[str] = ()) -> str:
    """Read a reply's single question; raises ReplyError for none or several, or one that mentions a hidden name."""
    lines = [_LABEL.sub("", _BULLET.sub("", line).strip(" \"'*_`")) for line in text.splitlines() if line.strip()]
    lines = [line.strip(" \"'*_`") for line in lines if line]
    if len(lines) != 1:
        raise ReplyError(f"one line asked for, found {len(lines)}", reply=text)
    (line,) = lines
    if not line.endswith(_ENDS) or sum(map(line.count, _ENDS)) != 1:
        raise ReplyError("one question asked for, ending in a question mark", reply=text)
    if _MARKS.search(line) or is_forged(line) or read_triplet(line):
        raise ReplyError("the question holds marks of a program, or a triplet", reply=text)
    if leaks := [name for name in hidden if mentions(line, name)]:
        raise ReplyError(f"the question names {leaks[0]!r}", reply=text)
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


HEADINGS = (
    "# This step",
    "# Data",
    "# What",
    "# Visual and",
    "# The guess test",
    "# Candidates weighed",
    "# Questions weighed",
    "# Form",
)
RATIONALE = "The reason that a person gave"
ECHOES = (
    "Question:",
    "Accepted answers:",
    "Right answer:",
    "Old question:",
    "Old answer:",
    "Changed question:",
    "What was changed:",
    "Picture:",
    "Chain:",
    "Path:",
    "New triplet:",
    "Hops:",
    "Write in",
    "Caption:",
    "Never named:",
    "Questions:",
    RATIONALE,
    *HEADINGS,
)


class StepReply(NamedTuple):
    """Text of a reply, and the reason it ended (``stop`` or ``length``)."""

    text: str
    finish: str = "stop"

    def error(self, problem: str, *, kind: str = "") -> ReplyError:
        """Build the error for an unusable reply; its kind is ``cut`` or ``invalid`` unless given."""
        return ReplyError(problem, reply=self.text, kind=kind or ("cut" if self.finish == "length" else "invalid"))

    def refuse_several(self, name: str) -> None:
        """Raise ReplyError if there are several lists of a name: one may be copied from the data."""
        if self.bare_text().count(f'"{name}"') > 1:
            raise self.error(f"several lists of {name}: one may be copied from what was judged")

    def bare_text(self) -> str:
        """Extract the text that may contain JSON; raises ReplyError if it is empty or the model declined."""
        text = strip_thinking(self.text)
        if not text:
            raise self.error("the reply is empty")
        if "{" not in text and is_refusal(text):
            raise self.error("the model declined", kind="refused")
        return text

    def plain_text(self, echoes: tuple[str, ...] = ECHOES) -> str:
        """Extract the text for the line parser: up to the first echo of the prompt, without an incomplete line."""
        return plain_text(self.text, finish=self.finish, echoes=echoes)

    def is_cut(self, echoes: tuple[str, ...] = ECHOES) -> bool:
        """Return True if the reply was truncated before any echo of the prompt."""
        return self.finish == "length" and plain_text(self.text, echoes=echoes) == plain_text(self.text)
