"""What no wording of a question may have: a wrong number, a word twice, too many words."""

import re

from kbe_graph.checks.check import Reads
from kbe_graph.checks.leak import WordedLeak
from kbe_graph.checks.row import WORDED
from kbe_graph.english.inflect import is_plural, singular
from kbe_graph.english.words import words
from kbe_graph.types import KEEP, Candidate, Decision, Stage

LONGEST = 26


class Flaw:
    """Refuses a wording whose form is not good English."""

    name = "flaw in the wording"
    stage: Stage = "question"
    reads: Reads = "text"
    rule = f"the text has no wrong number, no word twice, one question mark and at most {LONGEST} words"
    columns = WORDED
    refused = WordedLeak.passed._replace(text="What is the habitat of the animal of this animals?")
    passed = WordedLeak.passed

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the words alone."""
        wrong = flaw(candidate.text)
        return Decision(keep=False, reason=self.name, detail=wrong) if wrong else KEEP


def flaw(text: str) -> str:
    """Return what is wrong with the form of a question, empty where nothing is: a rule's check, not a grammar."""
    if wrong := _wrong_number(text):
        return wrong
    if again := _repeated(text):
        return again
    if text.count("?") != 1 or not text.endswith("?"):
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
    seen: set[str] = set()
    for match in re.finditer(r"[a-z]{4,}", text.lower()):
        word = match[0]
        base = word.removesuffix("s")
        if word not in words("stop") and base in seen:
            return word
        seen.add(base)
    return ""
