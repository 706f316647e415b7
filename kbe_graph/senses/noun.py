"""Noun test for answers: an answer must be a noun (KBE, section 3.3), or no further fact can be attached to it.

It uses rules, WordNet's counts by part of speech and the kind asked for, and spaCy, if installed, for unknown words.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from kbe_graph.english.parse import load_spacy_model
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import words
from kbe_graph.question import Reading, read
from kbe_graph.question.property import category, is_kind
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Decision

REASON = "not a noun"
ENGLISH = "English"
_KEPT = 1 << 12
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
_DONE = {"noun.act", "noun.event", "noun.process"}
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
    """Decide whether the answer to a question is a noun; the detail of a refusal names the other part of speech.

    In languages other than English, only numbers are refused.
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
    if _is_name(reading, name) or (len(tokens) > 1 and wordnet().morphy(name) and not _is_qualities(tokens)):
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


def _is_name(reading: Reading, name: str) -> bool:
    return reading.asks("brand") and bool(reading.asks_for) and name not in words("not nouns")


def _is_qualities(tokens: list[str]) -> bool:
    counts = [wordnet().counts(token) for token in tokens if token not in words("stop")]
    return 0 < len(counts) < len(tokens) and all(count.get("a", 0) > count.get("n", 0) for count in counts)


def _is_quantity(tokens: list[str]) -> bool:
    numbers = [bool(_NUMBER.match(token)) or token in words("numbers") for token in tokens]
    counting = all(number or token in _COUNTING for number, token in zip(numbers, tokens, strict=True))
    ordinal = tokens[0].endswith(("st", "nd", "rd", "th"))
    return (numbers[0] and not (ordinal and len(tokens) > 1)) or (any(numbers) and counting)


def _phrase(reading: Reading, tokens: list[str]) -> str:
    first, last = tokens[0], tokens[-1]
    count = wordnet().counts(first)
    if _is_deed(reading, first) or _is_done(first) or last in ("it", "them", "him"):
        return "verb phrase"
    if not (count or wordnet().morphy(first) or wordnet().morphy(first, "v")):
        return ""
    if _NUMBER.match(last):
        return _refusal(reading, " ".join(tokens[:-1]))
    return _head(reading, last)


def _is_deed(reading: Reading, word: str) -> bool:
    deed = reading.asks("action") or reading.asks("reason")
    if _is_gerund(reading, word):
        return (deed or reading.asks("either")) and not reading.asks("sport")
    count = wordnet().counts(word)
    verb, noun = count.get("v", -1), count.get("n", 0)
    return verb > noun if deed else verb > max(20 * noun, count.get("a", 0)) and not _names_thing(reading)


def _is_done(word: str) -> bool:
    base = None if wordnet().knows(word) or not word.endswith("s") else wordnet().morphy(word, "v")
    count = wordnet().counts(base) if base else {}
    return count.get("v", 0) > count.get("n", 0)


def _names_thing(reading: Reading) -> bool:
    files = {synset.lexname for synset in category(reading.asks_for)[:1]}
    return (
        reading.firm
        and reading.asks_for != "time"
        and (reading.asks_for in words("anything") or bool(files & (_THINGS | {"noun.Tops", "noun.event"})))
    )


def _head(reading: Reading, word: str) -> str:
    if word in words("not nouns"):
        return "adverb"
    if wordnet().is_colour(word) and not wordnet().counts(word).get("n"):
        return "colour"
    if _is_gerund(reading, word):
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
    if quality := _quality(reading, word, count):
        return quality
    if wordnet().pertains(word) and (named := _nationality(reading, word)) is not None:
        return named
    if _is_gerund(reading, word):
        return _gerund(reading, word)
    base = wordnet().morphy(word)
    if base is None:
        return _no_noun(reading, word)
    offered = reading.tidied.endswith(f" the {word}")  # "in a zoo or in the wild"
    kind = offered or (_is_kind(reading, base) and not reading.asks("colour"))
    return "" if kind or reading.asks("material") else _frequency(reading, word, base)


@lru_cache(_KEPT)
def _files(noun: str) -> tuple[str, ...]:
    """List the lexicographer files of a noun's senses, most frequent first."""
    return tuple(synset.lexname for synset in wordnet().synsets(noun))


def _is_kind(reading: Reading, noun: str) -> bool:
    if reading.asks_kind and _files(noun)[:1] == ("noun.plant",):
        return True
    return bool(reading.asks_for) and any(is_kind(synset.id, reading.asks_for) for synset in wordnet().synsets(noun))


def _quality(reading: Reading, word: str, count: Mapping[str, int]) -> str:
    if wordnet().is_colour(word) and _is_shade(reading, word, count):
        return "colour"
    return "adjective" if _is_offered_as_quality(reading, word, count) else ""


def _is_offered_as_quality(reading: Reading, word: str, count: Mapping[str, int]) -> bool:
    if not {"a", "v"} & {*count}:
        return False
    others = [choice for offer in reading.offers if word in offer for choice in offer if choice != word]
    return any(wordnet().morphy(other) is None for other in others) or (
        "a" in count and reading.text.rstrip("? ").endswith(" like")
    )


def _is_shade(reading: Reading, word: str, count: Mapping[str, int]) -> bool:
    if reading.asks("colour") or _files(word)[:1] == ("noun.attribute",):
        return True
    return count.get("a", 0) > count.get("n", 0) and not _is_kind(reading, word)


def _nationality(reading: Reading, word: str) -> str | None:
    sources = [wordnet().synset(synset_id) for synset_id in wordnet().pertains(word)]
    if not any(_is_people(source) for source in sources):
        return None
    files = _files(word)
    named = (
        (reading.asks("language") and "noun.communication" in files)
        or {"noun.animal", "noun.object"} & {*files}
        or "noun.animal" in _files(f"{word} {reading.asks_for}")
        or (
            files
            and files[0] not in ("noun.person", "noun.communication")
            and not reading.asks_for
            and not reading.asks("people")
        )
        or reading.asks("brand")
    )
    return "" if named else "nationality"


def _is_people(source: Synset) -> bool:
    if source.lexname == "noun.person":
        return source.lemmas[0][0].isupper()
    return source.instance and source.lexname in {"noun.location", "noun.object"}


def _is_gerund(reading: Reading, word: str) -> bool:
    if not word.endswith("ing") or len(word) < 5 or wordnet().knows(word, "v") or wordnet().morphy(word, "v") is None:
        return False
    return reading.asks("action") or not _THINGS & {*_files(word)[:1]}


def _gerund(reading: Reading, word: str) -> str:
    count = wordnet().counts(word)
    if reading.asks("sport") and not reading.asks("either"):
        return ""
    if reading.asks_kind and reading.firm and {*_files(reading.asks_for)[:1]} & _DONE:
        return ""  # drowning is a kind of death
    event = _files(word)[:1] == ("noun.event",)
    if (
        reading.asks("action")
        or (reading.asks("either") and not event)
        or (reading.asks("reason") and word not in words("ing nouns"))
    ):
        return "gerund"
    return "" if _is_stuff(word) or ("n" in count and count["n"] >= count.get("a", 0)) else "gerund"


def _is_stuff(word: str) -> bool:
    base = wordnet().morphy(word, "v") or ""
    count = wordnet().counts(base)
    return count.get("n", -1) >= count["v"] and _files(base)[0] in _THINGS


def _no_noun(reading: Reading, word: str) -> str:
    count = wordnet().counts(word)
    if word.endswith("ed") and wordnet().morphy(word, "v"):
        return "adjective"
    if wordnet().morphy(word, "v") and "a" not in count and not _names_thing(reading):
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
    noun = wordnet().counts(base)["n"]
    if _is_verb(reading, base, noun, count.get("v", -1)):
        return "verb"
    if _is_adjective(reading, word, count.get("a", -1), noun):
        return "adjective"
    return "adverb" if count.get("r", 0) > noun else ""


def _is_adjective(reading: Reading, word: str, adjective: int, noun: int) -> bool:
    files = _files(wordnet().morphy(word) or word)
    if adjective == noun and _ADJECTIVE.match(word) and (noun == 0 or word.endswith("en")):
        thing = bool({*files} & _THINGS - {"noun.person"}) and not word.endswith("en")
        return not thing or _is_surely_adjective(word)
    if adjective <= noun:
        return False
    wanted = {synset.lexname for synset in category(reading.asks_for)}
    quality = _ADJECTIVE.match(word) or reading.asks("either") or wanted & {"noun.attribute", "noun.shape"}
    return adjective > (2 * noun if files[0] in _THINGS and not quality else noun)


def _is_surely_adjective(word: str) -> bool:
    return len(word) > 6 and word.endswith(("able", "ible", "less", "ful", "ous", "made", "proof"))


def _is_verb(reading: Reading, base: str, noun: int, verb: int) -> bool:
    if verb < 0:
        return False
    if reading.asks("action") or (reading.asks("reason") and verb >= noun):
        happens = "happen" in reading.tidied and _files(base)[0] in {"noun.event", "noun.phenomenon"}
        return not (happens or _names_thing(reading))
    thing = bool(reading.asks_for) and _files(base)[0] in _THINGS
    return verb > 8 * noun + 10 and not thing


def _unknown(reading: Reading, word: str) -> str:
    if _is_surely_adjective(word):
        return "adjective"
    language = None if reading.asks_for or _is_closed(word) else load_spacy_model()
    if language is None:
        return ""
    part = language(word)[0].pos_
    return {"ADJ": "adjective", "ADV": "adverb", "VERB": "verb", "NUM": "number"}.get(part, "")


def _is_closed(word: str) -> bool:
    return any(wordnet().knows(f"{word[:at]} {word[at:]}") for at in range(2, len(word) - 2))
