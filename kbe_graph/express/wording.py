"""A wording of a question, and what no wording may have."""

import re
from functools import cache
from typing import NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.knowledge.table import rows
from kbe_graph.lexicon.inflect import is_plural, singular
from kbe_graph.lexicon.words import words
from kbe_graph.resources import data

_QUOTED = re.compile(r"\"[^\"]*\"")
LONGEST = 26


class Wording(NamedTuple):
    """The text of a question, and the name of the pattern that made it."""

    text: str
    pattern: str


@cache
def slips() -> "tuple[re.Pattern[str], ...]":
    """Return what slips of the rules and of raw questions look like; raises DatasetError for a row that is no pattern."""
    file = data("slips.tsv")
    found = []
    for line, (pattern, example) in rows(file, ("pattern", "example")):
        try:
            found.append(re.compile(pattern, re.IGNORECASE))
        except re.error as error:
            raise DatasetError(file.name, f"'pattern' {pattern!r} is none: {error}", line=line) from error
        if not found[-1].search(example):
            raise DatasetError(file.name, f"'pattern' {pattern!r} does not find its example", line=line)
    return tuple(found)


def flaw(text: str) -> str:
    """Return what is wrong with the form of a question, empty where nothing is: a rule's check, not a grammar.

    What it quotes was judged by itself.
    """
    own = _QUOTED.sub("this", text)
    if slip := next((match[0] for pattern in slips() if (match := pattern.search(own))), ""):
        return slip
    if wrong := _wrong_number(own):
        return wrong
    if again := _repeated(own):
        return again
    if own.count("?") != 1 or not own.endswith("?"):
        return "question mark"
    return "length" if len(text.split()) > LONGEST else ""


def _wrong_number(text: str) -> str:
    """Return "this glasses" or "these good are", empty where there is no such thing."""
    for match in re.finditer(r"\bthis ([a-z]+) ?(?=\?|in this|is\b|are\b|(?:eat|have|live|like|need|use)\b)", text):
        if is_plural(match[1]) and match[1] != singular(match[1]):
            return match[0]
    for match in re.finditer(r"\b(?:these|those)(?: [a-z]+ing)? ([a-z]+) (?:is|are|was|were)\b", text):
        if not is_plural(match[1]) and match[1] not in {"who", "that"}:
            return match[0]
    return ""


def _repeated(text: str) -> str:
    """Return a content word that stands twice, empty where none does."""
    found: set[str] = set()
    for match in re.finditer(r"[a-z]{4,}", text.lower()):
        word = match[0]
        base = word.removesuffix("s")
        if word not in words("stop") and base in found:
            return word
        found.add(base)
    return ""


def sentence(text: str) -> str:
    """Return a question with its capital and its mark."""
    return f"{text[:1].upper()}{text[1:].rstrip(' ?.,')}?"
