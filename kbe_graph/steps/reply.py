"""Reads what models really write: prose around triplets, echoes of the prompt, cut lines, fences and tables.

Nothing is guessed: a triplet that is not whole, an unknown id or a wrong count is left out or refused, never mended.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from kbe_graph.errors import ReplyError
from kbe_graph.text import fold

LONGEST_NAME, LONGEST_RELATION = 80, 60
_THINKING = re.compile(r"<(think\w*|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"\A.*</(?:think\w*|reasoning)>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.MULTILINE)
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "（": "(", "）": ")", "，": ","})
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\d+[.)]\s*)?")
_LABEL = re.compile(r"^(?:[A-Za-z]+\s+){0,2}question\s*:\s*", re.IGNORECASE)
_ID = re.compile(r"^\s*(?:[-*•]\s*)?\**([VT])\s*(\d+)\**\s*[.:)\-]*\s*", re.IGNORECASE)
_IDS = re.compile(r"^\W*[VT]\d+(?:\W+[VT]\d+)*\W*$", re.IGNORECASE)
_PARENTHESIS = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_SAID = r"\**(yes|no)\b(?=\s*(?:$|[.,:;!)*\"'-]))"
_VERDICT = re.compile(rf"^\W*(\d+)\s*[.:)\-]*\s*{_SAID}", re.IGNORECASE)
_JUDGED = re.compile(rf"^\W*{_SAID}", re.IGNORECASE | re.MULTILINE)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) sorry|i (?:can(?:no|')t|won't|will not) (?:help|assist|answer|see|view|provide|fulfil|comply)"
    r"|i must decline|as an ai\b|i(?:'m| am) (?:unable|not able))",
    re.IGNORECASE,
)
_PLACEHOLDERS = frozenset({"s", "r", "o", "subject", "relation", "object", "entity", "...", ""})
_ENDS = ("?", "？", "؟")
_MARKS = re.compile(r"[_{}\[\]<>|]")
_UNSPACED = "⺀"  # from here on, scripts that write no spaces between words


class Words(NamedTuple):
    """A triplet as words: subject, relation, object."""

    subject: str
    relation: str
    object: str


class Numbered(NamedTuple):
    """A triplet with the id it was given, such as V1 or T2; the id is empty where there was none."""

    id: str
    words: Words | None


def straight(text: str) -> str:
    """Return the text with straight quotes, dashes, commas and parentheses."""
    return text.translate(_STRAIGHT)


def bare(text: str) -> str:
    """Return the text without thinking and code fences."""
    return _FENCE.sub("", _THOUGHT.sub("", _THINKING.sub("", text))).strip()


def plain(text: str, *, finish: str = "stop", echoes: Collection[str] = ()) -> str:
    """Return the bare text with straight marks, cut at the first line that echoes the prompt.

    ``echoes`` are what such lines begin with. Where there is none, the last line of a text whose ``finish`` is ``length``
    goes: it was cut.
    """
    lines = straight(bare(text)).splitlines()
    starts = tuple(echo.casefold() for echo in echoes)
    cut = next((place for place, line in enumerate(lines) if line.strip(" *>-_").casefold().startswith(starts)), None)
    if cut is None and finish == "length":
        cut = len(lines) - 1
    return "\n".join(lines[:cut]).strip()


def refused(text: str) -> bool:
    """Return whether the model declined in words."""
    return bool(_REFUSAL.search(straight(text)[:200]))


def whole(words: Words) -> bool:
    """Return whether a triplet states something: no part is empty, a placeholder, overlong, or the same as another."""
    subject, relation, thing = map(fold, words)
    named = not {subject, relation, thing} & _PLACEHOLDERS and not any(part.startswith("<") for part in words)
    short = max(len(words.subject), len(words.object)) <= LONGEST_NAME and len(words.relation) <= LONGEST_RELATION
    return named and short and len({subject, relation, thing}) == 3


def triplet(line: str) -> Words | None:
    """Return the first parenthesis of the line split at its first two commas, or the cells of a table row, if whole."""
    return next(iter(_triplets(line)), None)


def triplets(text: str) -> list[Words]:
    """Return the whole triplets of the text, each once, in order."""
    return list(dict.fromkeys(one for line in text.splitlines() for one in _triplets(line)))


def _triplets(line: str) -> Iterator[Words]:
    if line.strip().startswith("|"):
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]]
    else:
        found = _PARENTHESIS.findall(line)
        rows = [[part.strip(" \"'*_`[]") for part in inside.split(",", 2)] for inside in found]
    for parts in rows:
        if len(parts) == 3 and whole(words := Words(*(part.replace("_", " ").strip() for part in parts))):
            yield words


def numbered(text: str) -> Iterator[Numbered]:
    """Return the triplets of the lines, each with the id that stands before it; and the ids of lines of ids alone."""
    for line in text.splitlines():
        found = _ID.match(line)
        if _IDS.match(line):
            yield from (Numbered(one.upper(), None) for one in re.findall(r"[VT]\d+", line, re.IGNORECASE))
        elif found or triplet(line):
            yield Numbered(f"{found.group(1).upper()}{found.group(2)}" if found else "", triplet(line))


def about(found: Sequence[Words], subject: str) -> list[Words]:
    """Return the triplets whose subject is the current answer; what is left of an example in the prompt goes with it."""
    return [one for one in found if fold(one.subject) == fold(subject)]


def verdicts(text: str, count: int) -> list[bool]:
    """Return ``count`` verdicts, matched by their numbers 1 ... count; raises ReplyError for any other set of numbers."""
    found = [_VERDICT.match(line) for line in text.splitlines()]
    pairs = [(int(one.group(1)), one.group(2).lower() == "yes") for one in found if one]
    if sorted(number for number, _ in pairs) != list(range(1, count + 1)):
        raise ReplyError(f"{count} verdicts asked for, found those numbered {[n for n, _ in pairs]!r}", reply=text)
    return [verdict for _, verdict in sorted(pairs)]


def verdict(text: str) -> bool:
    """Return the verdict of a reply that begins with yes or no and says no other; raises ReplyError."""
    found = _JUDGED.match(text)
    if not found or len({said.lower() for said in _JUDGED.findall(text)}) > 1:
        raise ReplyError("no verdict at the start of the reply", reply=text)
    return found.group(1).lower() == "yes"


def question(text: str, *, hidden: Collection[str] = ()) -> str:
    """Return the one question of a reply; raises ReplyError where there is another number, or it names what is hidden."""
    lines = [_LABEL.sub("", _BULLET.sub("", line).strip(" \"'*_`")) for line in text.splitlines() if line.strip()]
    lines = [line.strip(" \"'*_`") for line in lines if line]
    if len(lines) != 1:
        raise ReplyError(f"one line asked for, found {len(lines)}", reply=text)
    (line,) = lines
    if not line.endswith(_ENDS) or sum(map(line.count, _ENDS)) != 1:
        raise ReplyError("one question asked for, ending in a question mark", reply=text)
    if _MARKS.search(line) or triplet(line):
        raise ReplyError("the question holds marks of a program, or a triplet", reply=text)
    if told := [name for name in hidden if names(line, name)]:
        raise ReplyError(f"the question names {told[0]!r}", reply=text)
    return line


def names(line: str, name: str) -> bool:
    """Return whether a line names something: whole words, but in scripts that write no spaces."""
    said, wanted = fold(line), fold(name)
    if not wanted:
        return False
    return wanted in said if max(wanted) >= _UNSPACED else bool(re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", said))
