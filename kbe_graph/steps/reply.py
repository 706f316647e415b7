"""Reads what models really write: prose around triplets, echoes of the prompt, cut lines, fences and tables.

Nothing is guessed: a triplet that is not whole, an unknown id or a wrong count is left out or refused, never mended.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from kbe_graph.errors import ReplyError
from kbe_graph.text import fold

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.MULTILINE)
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "（": "(", "）": ")", "，": ","})
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\d+[.)]\s*)?")
_ID = re.compile(r"^\s*(?:[-*•]\s*)?\**([VT])\s*(\d+)\**\s*[.:)\-]*\s*", re.IGNORECASE)
_PARENTHESIS = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_VERDICT = re.compile(r"^\W*(\d+)\s*[.:)\-]*\s*\**(yes|no)\b", re.IGNORECASE)
_JUDGED = re.compile(r"^\W*(yes|no)\b", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) sorry|i can(?:no|')t (?:help|assist|answer|see|view|provide)|as an ai\b|i(?:'m| am) (?:unable|not able))",
    re.IGNORECASE,
)
_PLACEHOLDERS = frozenset({"s", "r", "o", "subject", "relation", "object", "entity", "...", ""})


class Words(NamedTuple):
    """A triplet as words: subject, relation, object."""

    subject: str
    relation: str
    object: str


class Numbered(NamedTuple):
    """A triplet with the id it was given, such as V1 or T2; the id is empty where there was none."""

    id: str
    words: Words | None


def plain(text: str, *, finish: str = "stop", echoes: Collection[str] = ()) -> str:
    """Return the text without thinking, fences and curly marks, cut at the first echo of the prompt.

    ``echoes`` are the markers that the prompt itself holds; the last line goes where ``finish`` is ``length``.
    """
    text = _FENCE.sub("", _THINKING.sub("", text.translate(_STRAIGHT)))
    low = text.casefold()
    cut = min((place for echo in echoes if (place := low.find(echo.casefold())) >= 0), default=len(text))
    if cut < len(text):
        return text[:cut].strip()
    if finish == "length":
        text = text.rpartition("\n")[0]
    return text.strip()


def refused(text: str) -> bool:
    """Return whether the model declined in words."""
    return bool(_REFUSAL.search(text[:200]))


def triplet(line: str) -> Words | None:
    """Return the first parenthesis of the line split at its first two commas, or the cells of a table row, if whole."""
    if line.strip().startswith("|"):
        parts = [cell.strip() for cell in line.strip().strip("|").split("|")]
        parts = parts if len(parts) == 3 and not set("".join(parts)) <= set("-: ") else []
    else:
        found = _PARENTHESIS.search(line)
        parts = [part.strip(" \"'*_`") for part in found.group(1).split(",", 2)] if found else []
    if len(parts) != 3 or any(fold(part) in _PLACEHOLDERS or part.startswith("<") for part in parts):
        return None
    return Words(*(part.replace("_", " ").strip() for part in parts))


def triplets(text: str) -> list[Words]:
    """Return the whole triplets of the text, each once, in order."""
    return list(dict.fromkeys(one for line in text.splitlines() if (one := triplet(line))))


def numbered(text: str) -> Iterator[Numbered]:
    """Return the lines that carry an id such as V1 or T2, with the triplet that follows, where there is one."""
    for line in text.splitlines():
        ids = re.findall(r"\b([VT]\d+)\b", line) if "(" not in line else []
        if len(ids) > 1:
            yield from (Numbered(one.upper(), None) for one in ids)
        elif found := _ID.match(line):
            yield Numbered(f"{found.group(1).upper()}{found.group(2)}", triplet(line))


def about(found: Sequence[Words], subject: str) -> list[Words]:
    """Return the triplets whose subject is the current answer; what is left of an example in the prompt goes with it."""
    return [one for one in found if fold(one.subject) == fold(subject)]


def verdicts(text: str, count: int) -> list[bool]:
    """Return ``count`` verdicts, matched by their numbers 1 ... count; raises ReplyError for any other set of numbers."""
    found = [_VERDICT.match(line) for line in text.splitlines() if line.strip()]
    pairs = [(int(one.group(1)), one.group(2).lower() == "yes") for one in found if one]
    if [number for number, _ in pairs] != list(range(1, count + 1)):
        raise ReplyError(f"{count} verdicts asked for, found those numbered {[n for n, _ in pairs]!r}", reply=text)
    return [verdict for _, verdict in pairs]


def verdict(text: str) -> bool:
    """Return the verdict of a reply that begins with yes or no; raises ReplyError."""
    found = _JUDGED.match(text)
    if not found:
        raise ReplyError("no verdict at the start of the reply", reply=text)
    return found.group(1).lower() == "yes"


def question(text: str, *, hidden: Collection[str] = ()) -> str:
    """Return the one question of a reply; raises ReplyError where there is another number, or it names what is hidden."""
    lines = [line.strip(" \"'*_`") for line in text.splitlines() if line.strip()]
    lines = [re.sub(r"^(?:new\s+)?question\s*:\s*", "", _BULLET.sub("", line), flags=re.IGNORECASE) for line in lines]
    if len(lines) != 1:
        raise ReplyError(f"one line asked for, found {len(lines)}", reply=text)
    (line,) = lines
    if not line.endswith("?") or line.count("?") != 1:
        raise ReplyError("one question asked for, ending in a question mark", reply=text)
    if told := [name for name in hidden if _names(line, name)]:
        raise ReplyError(f"the question names {told[0]!r}", reply=text)
    return line


def _names(line: str, name: str) -> bool:
    return bool(fold(name)) and bool(re.search(rf"\b{re.escape(fold(name))}\b", fold(line)))
