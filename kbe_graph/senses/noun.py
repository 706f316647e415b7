"""Keeps facts whose object is a noun: an answer must be one (KBE, section 3.3), or no further fact hangs on it.

Rules, WordNet's counts by part of speech and what the question asks for; spaCy, where it is installed, for unknown
words.
"""

import re

from kbe_graph.english.spacy_model import load_spacy_model
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.question import Reading, read
from kbe_graph.question.sought import is_kind
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Decision

REASON = "not a noun"
ENGLISH = "English"
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


def is_noun(question: str, answer: str, *, language: str = ENGLISH) -> Decision:
    """Return whether the answer to a question is a noun; the detail of a refusal says what it is instead.

    In another language than English nothing but a number is known to be none.
    """
    if language == ENGLISH:
        detail = _refusal(read(question), answer)
    else:
        detail = "" if any(map(str.isalpha, answer)) else "number"
    return Decision(keep=False, reason=REASON, detail=detail) if detail else KEEP


def _refusal(reading: Reading, answer: str) -> str:
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
        return next((detail for part in parts[-whole:] if (detail := _refusal(reading, part))), "")
    return _phrase(reading, tokens) if len(tokens) > 1 else _word(reading, name)


def _is_quantity(tokens: list[str]) -> bool:
    numbers = [bool(_NUMBER.match(token)) or token in words("numbers") for token in tokens]
    counting = all(number or token in _COUNTING for number, token in zip(numbers, tokens, strict=True))
    ordinal = tokens[0].endswith(("st", "nd", "rd", "th"))
    return (numbers[0] and not (ordinal and len(tokens) > 1)) or (any(numbers) and counting)


def _phrase(reading: Reading, tokens: list[str]) -> str:
    first, last = tokens[0], tokens[-1]
    count = wordnet().counts(first)
    verb, noun = count.get("v", -1), count.get("n", 0)
    if first.endswith("ing") and _is_gerund(first):
        if (reading.asks("action") or reading.asks("reason") or reading.asks("either")) and not reading.asks("sport"):
            return "verb phrase"
    elif verb > (noun if reading.asks("action") or reading.asks("reason") else max(20 * noun, count.get("a", 0))):
        return "verb phrase"
    if not (count or wordnet().morphy(first) or wordnet().morphy(first, "v")):
        return ""
    if _NUMBER.match(last):
        return _refusal(reading, " ".join(tokens[:-1]))
    return _head(reading, last)


def _head(reading: Reading, word: str) -> str:
    if word in words("not nouns"):
        return "adverb"
    if wordnet().is_colour(word) and not wordnet().counts(word).get("n"):
        return "colour"
    if _is_gerund(word):
        return "gerund" if reading.asks("action") and not reading.asks("sport") else ""
    base = wordnet().morphy(word)
    count = wordnet().counts(word)
    if base is None:
        return (
            _unknown(reading, word)
            if not count
            else "adjective"
            if "a" in count
            else "adverb"
            if "r" in count
            else "verb"
        )
    twice = 2 * count.get("n", 0)
    return "adjective" if count.get("a", 0) > twice else "adverb" if count.get("r", 0) > twice else ""


def _word(reading: Reading, word: str) -> str:
    count = wordnet().counts(word)
    if len(word) == 1 or not any(letter.isalnum() for letter in word):
        return "letter" if word.isalpha() else "no word"
    if wordnet().is_colour(word) and (
        reading.asks("colour") or count.get("a", 0) > count.get("n", 0) or _names_colour(word)
    ):
        return "colour"
    if wordnet().pertains(word) and (named := _nationality(reading, word)) is not None:
        return named
    if _is_gerund(word):
        return _gerund(reading, word)
    base = wordnet().morphy(word)
    if base is None:
        return _no_noun(reading, word)
    kind = reading.asks_for and any(is_kind(synset.id, reading.asks_for) for synset in wordnet().synsets(base))
    return "" if reading.asks("material") or (kind and not reading.asks("colour")) else _frequency(reading, word, base)


def _names_colour(word: str) -> bool:
    return [synset.lexname for synset in wordnet().synsets(word)[:1]] == ["noun.attribute"]


def _nationality(reading: Reading, word: str) -> str | None:
    sources = [wordnet().synset(synset_id) for synset_id in wordnet().pertains(word)]
    if not any(source.instance and source.lexname == "noun.location" for source in sources):
        return None
    files = {synset.lexname for synset in wordnet().synsets(word)}
    return (
        "" if (reading.asks("language") and "noun.communication" in files) or "noun.animal" in files else "nationality"
    )


def _is_gerund(word: str) -> bool:
    if not word.endswith("ing") or len(word) < 5 or wordnet().knows(word, "v") or wordnet().morphy(word, "v") is None:
        return False
    return not {synset.lexname for synset in wordnet().synsets(word)[:1]} & _THINGS


def _gerund(reading: Reading, word: str) -> str:
    count = wordnet().counts(word)
    if reading.asks("sport") and not reading.asks("either"):
        return ""
    if reading.asks("action") or reading.asks("reason") or reading.asks("either"):
        return "gerund"
    return "" if "n" in count and count["n"] >= count.get("a", 0) else "gerund"


def _no_noun(reading: Reading, word: str) -> str:
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
        else _unknown(reading, word)
    )


def _frequency(reading: Reading, word: str, base: str) -> str:
    count = wordnet().counts(word)
    noun, verb = wordnet().counts(base)["n"], count.get("v", -1)
    thing = bool(reading.asks_for) and wordnet().synsets(base)[0].lexname in _THINGS
    if verb >= 0 and (
        reading.asks("action") or (reading.asks("reason") and verb >= noun) or (verb > 8 * noun + 10 and not thing)
    ):
        return "verb"
    adjective = count.get("a", -1)
    if adjective > noun or (adjective == noun == 0 and _ADJECTIVE.match(word)):
        return "adjective"
    return "adverb" if count.get("r", 0) > noun else ""


def _unknown(reading: Reading, word: str) -> str:
    """Where the question names what it asks for, an unknown word is one; else spaCy says."""
    language = None if reading.asks_for else load_spacy_model()
    if language is None:
        return ""
    part = language(word)[0].pos_
    return {"ADJ": "adjective", "ADV": "adverb", "VERB": "verb", "NUM": "number"}.get(part, "")
