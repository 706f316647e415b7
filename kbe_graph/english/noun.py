"""Noun test for answers: an answer must be a noun (KBE, section 3.3), or no further fact can be attached to it.

WordNet's counts of a word as a noun, verb, adjective and adverb decide, with what the question asks for.
"""

import re
from functools import lru_cache
from typing import get_args

from kbe_graph.english.inflect import is_plural, singular
from kbe_graph.english.property import CONCRETE, category, is_kind
from kbe_graph.english.reading import Reading, read
from kbe_graph.english.wordnet import Part, wordnet
from kbe_graph.english.words import is_of_kind, words
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
_ADJECTIVE = re.compile(r".{3,}(?:able|ible|made|proof|[ai]le|en|al|ous|ful|less|ic|ive|ish|y)$")
_SEEN = CONCRETE | {"noun.event", "noun.person", "noun.location"}


def is_noun(question: str, answer: str, *, language: str = ENGLISH) -> Decision:
    """Decide whether the answer to a question is a noun; the detail of a refusal names the other part of speech.

    In languages other than English, only numbers are refused.
    """
    if language == ENGLISH:
        detail = _refusal(read(question), answer)
    else:
        detail = "" if any(map(str.isalpha, answer)) else "number"
    return Decision(keep=False, reason=REASON, detail=detail) if detail else KEEP


@lru_cache(_KEPT)
def _refusal(reading: Reading, answer: str) -> str:
    name = fold(answer)
    tokens = name.split()
    if not re.search(r"\w", name):
        return "no word"
    if _is_quantity(tokens):
        return "number"
    if _is_name(reading, name, tokens):
        return ""
    if closed := _closed(name, tokens):
        return closed
    parts = [part for part in _AND.split(answer.casefold().strip()) if part]
    if len(parts) > 1:
        whole = " " in parts[-1] and not any(" " in part for part in parts[:-1])  # fish and chips shop
        return next((detail for part in parts[-whole:] if (detail := _refusal(reading, part))), "")
    return _phrase(reading, tokens) if len(tokens) > 1 else _word(reading, name)


def _is_name(reading: Reading, name: str, tokens: list[str]) -> bool:
    if reading.asks("brand") and reading.asks_for and name not in words("not nouns"):
        return True
    own = [token for token in tokens if token not in words("stop")]
    return len(tokens) > 1 and wordnet().morphy(name) is not None and not all(_mainly(token, "a") for token in own)


def _closed(name: str, tokens: list[str]) -> str:
    if name in words("not nouns") or (len(tokens) > 1 and tokens[0] in words("openers")):
        return "adverb"
    is_phrase = tokens[0] in words("prepositions") or (len(tokens) > 1 and _CLAUSE.search(name))
    return "phrase" if is_phrase else ""


def _is_quantity(tokens: list[str]) -> bool:
    numbers = [bool(_NUMBER.match(token)) or token in words("numbers") for token in tokens]
    counting = all(number or token in words("beside numbers") for number, token in zip(numbers, tokens, strict=True))
    ordinal = len(tokens) > 1 and tokens[0].endswith(("st", "nd", "rd", "th"))
    return (numbers[0] and not ordinal) or (any(numbers) and counting)


def _mainly(word: str, part: str) -> bool:
    count = wordnet().counts(word)
    return count.get(part, -1) > count.get("n", 0)


def _phrase(reading: Reading, tokens: list[str]) -> str:
    first, *_, last = tokens
    base = wordnet().morphy(first, "v")
    inflected = base not in (None, first) and not wordnet().knows(first)
    if last in ("it", "them", "him") or (inflected and first.endswith("s") and _mainly(base or "", "v")):
        return "verb phrase"
    if _asks_deed(reading) and not reading.asks("sport") and (_is_gerund(reading, first) or _mainly(first, "v")):
        return "verb phrase"
    count = wordnet().counts(last)
    if wordnet().morphy(last) is None:
        return next((name for part, name in _PARTS.items() if part in count), "")
    other = next(
        (name for part, name in _PARTS.items() if part != "v" and count.get(part, 0) > 2 * count.get("n", 0)), ""
    )
    return "" if _is_gerund(reading, last) else other


_PARTS = {"a": "adjective", "r": "adverb", "v": "verb"}


def _is_gerund(reading: Reading, word: str) -> bool:
    is_form = word.endswith("ing") and len(word) > 4 and wordnet().morphy(word, "v") not in (None, word)
    files = {synset.lexname for synset in wordnet().synsets(word)[:1]}
    return is_form and (reading.asks("action") or not files & (_SEEN - {"noun.Tops", "noun.event"}))


def _word(reading: Reading, word: str) -> str:
    if len(word) == 1:
        return "letter" if word.isalpha() else "no word"
    base = wordnet().morphy(word)
    senses = wordnet().synsets(base or word)
    is_plant = reading.asks_kind and bool(senses) and senses[0].lexname == "noun.plant"
    of_kind = is_plant or any(is_kind(synset.id, reading.asks_for) for synset in senses if reading.asks_for)
    if quality := _quality(reading, word, of_kind=of_kind):
        return quality
    if _is_gerund(reading, word):
        asks_deed = reading.asks("action") or (_asks_deed(reading) and word not in words("ing nouns"))
        is_deed = asks_deed or not (wordnet().knows(word) or reading.asks_kind)
        return "gerund" if is_deed and not reading.asks("sport") else ""
    if base is None:
        return _no_noun(reading, word)
    is_noun = of_kind or reading.asks("material") or reading.tidied.endswith(f" the {word}")
    return "" if is_noun else _other_part(reading, word, base)


def _asks_deed(reading: Reading) -> bool:
    return reading.asks("action") or reading.asks("reason") or reading.asks("either")


def _quality(reading: Reading, word: str, *, of_kind: bool) -> str:
    files = [synset.lexname for synset in wordnet().synsets(word)]
    shade = files[:1] == ["noun.attribute"] or (_mainly(word, "a") and not of_kind)
    if wordnet().is_colour(word) and (reading.asks("colour") or shade):
        return "colour"
    if _is_nationality(reading, word, files):
        return "nationality"
    return "adjective" if reading.tidied.endswith(" like") and {"a", "v"} & {*wordnet().counts(word)} else ""


def _is_nationality(reading: Reading, word: str, files: list[str]) -> bool:
    places = [wordnet().synset(synset_id) for synset_id in wordnet().pertains(word)]
    if not any(place.instance or (place.lexname == "noun.person" and place.lemmas[0][0].isupper()) for place in places):
        return False
    plain = files[:1] not in ([], ["noun.person"], ["noun.communication"]) and not reading.asks_for
    is_other = {"noun.animal", "noun.object"} & {*files} or plain or wordnet().knows(f"{word} {reading.asks_for}")
    return not (is_other or reading.asks("brand") or (reading.asks("language") and "noun.communication" in files))


def _no_noun(reading: Reading, word: str) -> str:
    count = wordnet().counts(word)
    if "a" in count or wordnet().morphy(word, "a") or (word.endswith("ed") and wordnet().morphy(word, "v")):
        return "adjective"
    if wordnet().morphy(word, "v") and not _asks_thing(reading):
        return "verb"
    return "adverb" if "r" in count else ""


def _asks_thing(reading: Reading) -> bool:
    files = {synset.lexname for synset in category(reading.asks_for)[:1]}
    return (
        reading.firm and reading.asks_for != "time" and (reading.asks_for in words("anything") or bool(files & _SEEN))
    )


def _other_part(reading: Reading, word: str, base: str) -> str:
    count = wordnet().counts(word)
    noun, verb, adjective, adverb = wordnet().counts(base)["n"], *(count.get(part, -1) for part in "var")
    thing = wordnet().synsets(base)[0].lexname in _SEEN
    deed = reading.asks("action") or (reading.asks("reason") and verb >= noun)
    mostly = verb > 8 * noun + 10 and not (thing and reading.asks_for)
    if verb >= 0 and (mostly or (deed and not _asks_thing(reading))):
        return "verb"
    if adjective > (2 * noun if thing and not _ADJECTIVE.match(word) else noun) or (
        adjective == noun == 0 and not thing and _ADJECTIVE.match(word)
    ):
        return "adjective"
    return "adverb" if adverb > noun else ""


_QUALITIES_AND_DEEDS = {"noun.Tops", "noun.attribute", "noun.quantity", "noun.act", "noun.relation", "noun.cognition"}
_PHYSICAL = "wn30:00001930-n"  # physical entity


@lru_cache(_KEPT)
def is_of_named_kind(name: str, kind: str) -> bool:
    """Return True if a name can be a noun for something of this kind.

    False only means that the kind does not help: it is vague, a quality or an action, or the name is unknown.

    >>> is_of_named_kind("LIVE AND LET DIE", "song"), is_of_named_kind("WATCH", "timepiece")
    (True, True)
    >>> is_of_named_kind("two", "number"), is_of_named_kind("dangerous", "animal")
    (False, False)
    """
    folded, noun = fold(name), singular(fold(kind))
    senses = () if fold(kind) in words("anything") else category(noun)
    if not senses or not any(map(str.isalpha, name)):
        return False
    if any(is_of_kind(sense.id, "titled") for sense in senses):
        return folded not in words("not nouns")
    first, *rest = folded.split()
    is_count = (first[0].isdigit() or first in words("numbers")) and (not rest or is_plural(rest[-1]))
    things = [s for s in senses if s.lexname not in _QUALITIES_AND_DEEDS or wordnet().is_a(s.id, _PHYSICAL)]
    if first in words("prepositions") or is_count or not things:
        return False
    own = wordnet().lookup(folded).synsets
    below = any(wordnet().is_a(synset.id, sense.id) for synset in own for sense in things)
    beside = senses[0] in things and any(synset.lexname == senses[0].lexname for synset in own)
    return below or beside or wordnet().knows(f"{folded} {noun}")


def is_in_no_dictionary(name: str) -> bool:
    """Return True if WordNet lists a single word neither as a lemma nor as an inflected form: qwerty."""
    folded = fold(name)
    return " " not in folded and not any(wordnet().morphy(folded, part) for part in get_args(Part))
