"""Keeps facts whose object is a noun: an answer must be one (KBE, section 3.3), or no further fact hangs on it.

Rules, WordNet's counts by part of speech and what the question asks for; spaCy, where it is installed, for unknown words.
"""

import re
from typing import Literal

from kbe_graph.lexicon.english import english
from kbe_graph.lexicon.question import Asked, asked, is_kind
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.lexicon.words import words
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision

REASON = "not a noun"
_NUMBER = re.compile(
    r"[$£€#~<>]?\d[\d.,:/x%-]*(?:st|nd|rd|th|'?s|am|pm|mph|lbs?|ft|in|cm|mm|kg|oz|bc|ad|k|m|h|hrs?|mins?|%)?$"
)
_AND = re.compile(r"\s+(?:and|or|&|nor)\s+|\s*[,/;&]\s*")
_CLAUSE = re.compile(r"\b(?:is|are|was|were|they|he|she|it|you|we|can|will|be|cannot|don't|can't|doesn't|isn't|it's)\b")
_ADJECTIVE = re.compile(r".{3,}(?:[ai]ble|en|al|ous|ful|less|ic|ive|ish|y)$")
_THINGS = {
    *("noun.animal", "noun.artifact", "noun.body", "noun.food", "noun.object", "noun.person", "noun.plant"),
    *("noun.substance", "noun.time", "noun.location"),
}
_COUNTING = {
    "early",
    "late",
    "mid",
    "about",
    "around",
    "century",
    "to",
    "or",
    "size",
    "number",
    "age",
    "year",
    "no",
    "grade",
}


def is_noun(question: str, answer: str) -> Decision:
    """Return whether the answer to a question is a noun; the detail of a refusal says what it is instead."""
    detail = _refusal(asked(question), answer)
    return Decision(keep=False, reason=REASON, detail=detail) if detail else KEEP


class NounFilter:
    """Drops a fact whose object is no noun; an object with a concept id is one."""

    name = "noun"
    stage: Literal["fact", "question"] = "fact"

    def decide(self, candidate: Candidate) -> Decision:
        """Return whether the object of the candidate's fact is a noun."""
        fact = candidate.fact
        named = fact.object_id and any(letter.isalpha() for letter in fact.object)
        return KEEP if named else is_noun("", fact.object)


def _refusal(question: Asked, answer: str) -> str:
    name = fold(answer)
    tokens = name.split()
    if not tokens or _is_quantity(tokens):
        return "number" if tokens else "no word"
    if len(tokens) > 1 and wordnet().morphy(name):
        return ""
    if name in words("not nouns") or (len(tokens) > 1 and tokens[0] in words("openers")):
        return "adverb"
    if tokens[0] in words("prepositions") or (len(tokens) > 1 and _CLAUSE.search(name)):
        return "phrase"
    parts = [part for part in _AND.split(answer.casefold().strip()) if part]
    if len(parts) > 1:
        whole = " " in parts[-1] and not any(" " in part for part in parts[:-1])
        return next((detail for part in parts[-whole:] if (detail := _refusal(question, part))), "")
    return _phrase(question, tokens) if len(tokens) > 1 else _word(question, name)


def _is_quantity(tokens: list[str]) -> bool:
    numbers = [bool(_NUMBER.match(token)) or token in words("numbers") for token in tokens]
    counting = all(number or token in _COUNTING for number, token in zip(numbers, tokens, strict=True))
    ordinal = tokens[0].endswith(("st", "nd", "rd", "th"))
    return (numbers[0] and not (ordinal and len(tokens) > 1)) or (any(numbers) and counting)


def _phrase(question: Asked, tokens: list[str]) -> str:
    first, last = tokens[0], tokens[-1]
    count = wordnet().counts(first)
    verb, noun = count.get("v", -1), count.get("n", 0)
    if first.endswith("ing") and _is_gerund(first):
        if (question.action or question.reason or question.either) and not question.sport:
            return "verb phrase"
    elif verb > (noun if question.action or question.reason else max(20 * noun, count.get("a", 0))):
        return "verb phrase"
    if not (count or wordnet().morphy(first) or wordnet().morphy(first, "v")):
        return ""
    if _NUMBER.match(last):
        return _refusal(question, " ".join(tokens[:-1]))
    return _head(question, last)


def _head(question: Asked, word: str) -> str:
    if word in words("not nouns"):
        return "adverb"
    if wordnet().is_colour(word) and not wordnet().counts(word).get("n"):
        return "colour"
    if _is_gerund(word):
        return "gerund" if question.action and not question.sport else ""
    base = wordnet().morphy(word)
    count = wordnet().counts(word)
    if base is None:
        return (
            _unknown(question, word)
            if not count
            else "adjective"
            if "a" in count
            else "adverb"
            if "r" in count
            else "verb"
        )
    twice = 2 * count.get("n", 0)
    return "adjective" if count.get("a", 0) > twice else "adverb" if count.get("r", 0) > twice else ""


def _word(question: Asked, word: str) -> str:
    count = wordnet().counts(word)
    if len(word) == 1 or not any(letter.isalnum() for letter in word):
        return "letter" if word.isalpha() else "no word"
    if wordnet().is_colour(word) and (question.colour or count.get("a", 0) > count.get("n", 0) or _names_colour(word)):
        return "colour"
    if wordnet().pertains(word) and (named := _nationality(question, word)) is not None:
        return named
    if _is_gerund(word):
        return _gerund(question, word)
    base = wordnet().morphy(word)
    if base is None:
        return _no_noun(question, word)
    kind = question.noun and any(is_kind(synset.id, question.noun) for synset in wordnet().synsets(base))
    return "" if question.material or (kind and not question.colour) else _frequency(question, word, base)


def _names_colour(word: str) -> bool:
    return [synset.lexname for synset in wordnet().synsets(word)[:1]] == ["noun.attribute"]


def _nationality(question: Asked, word: str) -> str | None:
    sources = [wordnet().synset(synset_id) for synset_id in wordnet().pertains(word)]
    if not any(source.instance and source.lexname == "noun.location" for source in sources):
        return None
    found = {synset.lexname for synset in wordnet().synsets(word)}
    return "" if (question.language and "noun.communication" in found) or "noun.animal" in found else "nationality"


def _is_gerund(word: str) -> bool:
    if not word.endswith("ing") or len(word) < 5 or wordnet().knows(word, "v") or wordnet().morphy(word, "v") is None:
        return False
    return not {synset.lexname for synset in wordnet().synsets(word)[:1]} & _THINGS


def _gerund(question: Asked, word: str) -> str:
    count = wordnet().counts(word)
    if question.sport and not question.either:
        return ""
    if question.action or question.reason or question.either:
        return "gerund"
    return "" if "n" in count and count["n"] >= count.get("a", 0) else "gerund"


def _no_noun(question: Asked, word: str) -> str:
    count = wordnet().counts(word)
    if word.endswith("ed") and wordnet().morphy(word, "v"):
        return "adjective"
    if wordnet().morphy(word, "v") and "a" not in count:
        return "verb"
    return (
        "adjective"
        if "a" in count or wordnet().morphy(word, "a")
        else "adverb"
        if "r" in count
        else _unknown(question, word)
    )


def _frequency(question: Asked, word: str, base: str) -> str:
    count = wordnet().counts(word)
    noun, verb = wordnet().counts(base)["n"], count.get("v", -1)
    thing = bool(question.noun) and wordnet().synsets(base)[0].lexname in _THINGS
    if verb >= 0 and (question.action or (question.reason and verb >= noun) or (verb > 8 * noun + 10 and not thing)):
        return "verb"
    adjective = count.get("a", -1)
    if adjective > noun or (adjective == noun == 0 and _ADJECTIVE.match(word)):
        return "adjective"
    return "adverb" if count.get("r", 0) > noun else ""


def _unknown(question: Asked, word: str) -> str:
    """Where the question names what it asks for, an unknown word is one; else spaCy says."""
    language = None if question.noun else english()
    if language is None:
        return ""
    part = language(word)[0].pos_
    return {"ADJ": "adjective", "ADV": "adverb", "VERB": "verb", "NUM": "number"}.get(part, "")
