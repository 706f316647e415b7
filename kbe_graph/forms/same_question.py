"""Checks that a text asks the same as a question in other words, for rules and models alike."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher

from kbe_graph.checks.question_text import flaw
from kbe_graph.english.inflect import lemmas
from kbe_graph.english.parse import PLAIN
from kbe_graph.english.words import words
from kbe_graph.errors import NoCandidate
from kbe_graph.question import read
from kbe_graph.text import fold

LEAST_DIFFERENCE = 0.2
MOST_GROWTH, FREE_WORDS = 1.6, 4
LEAST_KEPT = 0.5
# Words that say nothing about what an image shows; "activity" and "way" are what "doing" and "how" ask for.
_NEUTRAL = "thing object person people place activity way name call image picture photo show see"
# What a question asks for, by its wording; the first match decides.
_SOUGHT = {
    "number": r"\bhow many\b|\bnumber of\b",
    "amount": r"\bhow much\b|\b(?:weight|price) of\b",
    "measure": r"\bhow (?:old|tall|fast|long|big|far)\b|\b(?:age|height) of\b|\bat what speed\b|\blength of time\b",
    "reason": r"\bwhy\b|\breason\b|\bpurpose\b|\bfor\??$|^for what\b",
    "manner": r"\bhow\b|\bin what way\b|\bin which way\b",
    "place": r"\bwhere\b|\bwh(?:at|ich) place\b",
    "time": r"\bwhen\b|\bwhat time\b",
    "person": r"\bwho(?:m|se)?\b|\bthe (?:person|people) that\b",
    "choice": r"^(?:is|are|was|were|do|does|did|can|could|would|will|should|has|have)\b",
}
_NOT = re.compile(r"\b(?:not|no|never|without|except|only)\b|n't\b")


def difference(text: str, other: str) -> float:
    """Measure the difference of two questions, 0 to 1: one minus the share of words common to both in the same order.

    >>> difference("What is the cat sitting on?", "On what is the cat sitting?")
    0.16666666666666663
    """
    return 1 - SequenceMatcher(None, _words_of(text), _words_of(other), autojunk=False).ratio()


def _words_of(text: str) -> list[str]:
    return fold(re.sub(r"(?i)\b(what|who|where)'s\b", r"\1 is", text)).split()


def check_same(
    text: str, original: str, answers: Iterable[str] = (), *, implied: Collection[str] | None = None
) -> None:
    """Raise NoCandidate, with the reason to count, if a text is not a fair paraphrase of a question.

    ``implied`` are lemmas that it may add to the question's: those that rules insert. Without ``implied``, it may add
    one word more than it loses.
    """
    if wrong := flaw(text):
        raise NoCandidate("flaw in the paraphrase", wrong)
    if difference(text, original) < LEAST_DIFFERENCE:
        raise NoCandidate("hardly other words", f"{difference(text, original):.2f}")
    _check_length(len(text.split()), len(original.split()))
    if sought(text) != sought(original):
        raise NoCandidate("asks for something else", f"{sought(text)}, not {sought(original)}")
    _check_names(text, read(original, PLAIN).tidied)
    check_words(text, original, answers, implied=implied)


def sought(text: str) -> str:
    """Classify the kind of answer requested: number, reason, manner, place, time, person, choice, ... else thing."""
    low = text.lower().strip()
    return next((name for name, pattern in _SOUGHT.items() if re.search(pattern, low)), "thing")


def _check_length(count: int, before: int) -> None:
    most, least = max(before * MOST_GROWTH, before + FREE_WORDS), min(before / MOST_GROWTH, before - FREE_WORDS)
    if not least <= count <= most:
        raise NoCandidate("another length", f"{count} words for {before}")


def _check_names(text: str, tidied: str) -> None:
    if (lost := signs(text)) != (kept := signs(tidied)):
        raise NoCandidate("another name, number or negation", f"{sorted(lost)} for {sorted(kept)}")


def signs(text: str) -> Counter[str]:
    """Count the names, numbers and negations in a text."""
    low = text.lower()
    spoken = re.findall(r"[a-z']+", low)
    names = re.findall(r"(?<=[a-z,] )[A-Z][\w-]+", text)
    numbers = [word for word in spoken if word in words("numbers")]
    return Counter([*names, *numbers, *re.findall(r"\d+", low), *_NOT.findall(low)])


def _vocabulary(original: str) -> frozenset[str]:
    return frozenset(lemmas(original)) | frozenset(lemmas(read(original, PLAIN).tidied))


def check_words(
    text: str, original: str, answers: Iterable[str] = (), *, implied: Collection[str] | None = None
) -> None:
    """Raise NoCandidate if a text says more than a question, less than half of it, or an answer.

    ``implied`` is as in ``check_same``.
    """
    new, old = frozenset(lemmas(text)), _vocabulary(original)
    neutral = frozenset(lemmas(_NEUTRAL))
    added, lost = new - old - neutral, old - new - neutral
    answered = frozenset(lemma for answer in answers for lemma in lemmas(answer))
    if named := (new - old) & answered:
        raise NoCandidate("names the answer", min(named))
    content = old - neutral
    if implied is None and content and len(content & new) < LEAST_KEPT * len(content):
        raise NoCandidate("asks about something else", ", ".join(sorted(lost)))
    too_many = len(added) > len(lost) + 1 if implied is None else bool(added - set(implied))
    if too_many:
        raise NoCandidate("says more", ", ".join(sorted(added)))
