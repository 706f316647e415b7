"""Number, plurals and articles of English noun phrases, and the lemmas of a text.

The dictionary and a noun's place in WordNet's taxonomy decide whether it is countable (count and noncount nouns: Quirk
et al. 1985, 5.2-5.9).
"""

import re
from functools import cache, lru_cache
from importlib import import_module
from types import ModuleType
from typing import Literal

from kbe_graph.english.wordnet import Part, Synset, wordnet
from kbe_graph.english.words import is_of_kind, words
from kbe_graph.extras import runs
from kbe_graph.files.resources import data
from kbe_graph.text import fold

_SINGULAR_ENDINGS = ("ss", "us", "is", "ics", "os")
_KEPT = 1 << 14  # a run looks up the same nouns repeatedly
_LINK = re.compile(r"\s(?:of|with|in|on|for|from|at|to|near|under|over|behind|by)\s")


@cache
def plurals() -> dict[str, str]:
    """Load the irregular plurals by noun; an empty plural means that the noun has none."""
    text = data("wordnet").joinpath("plurals.tsv").read_text(encoding="utf-8")
    irregular = dict(line.split("\t") for line in text.splitlines())
    own = dict(pair.split() for pair in words("own plurals"))
    return irregular | own | {noun: noun for noun in words("unchanged")}


@cache
def _irregular() -> dict[str, str]:
    return {form: noun for noun, form in plurals().items() if form and form != noun and noun not in {"taxis", "pus"}}


@lru_cache(_KEPT)
def head(noun_phrase: str) -> str:
    """Find the head word of a noun phrase: the last word before "of", "with" and the like."""
    before = _LINK.split(f" {noun_phrase} ")[0].split() or noun_phrase.split()
    return before[-1] if before else ""


def with_head(noun_phrase: str, word: str) -> str:
    """Replace the head word of a noun phrase, keeping its letter case."""
    front = _LINK.split(noun_phrase)[0]
    return " ".join((*front.split()[:-1], _as(head(noun_phrase), word))) + noun_phrase[len(front) :]


def _as(model: str, word: str) -> str:
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word


@lru_cache(_KEPT)
def is_plural(noun: str) -> bool:
    """Return True if the head of a noun phrase is plural in form (giraffes, men, scissors, people)."""
    name = fold(head(noun))
    if name in words("plural") or name in _irregular():
        return True
    if not name.endswith("s") or name in words("unchanged") or name in words("singular") or "'" in name:
        return False
    base = wordnet().base(name)
    if name.endswith(_SINGULAR_ENDINGS):
        return base is not None and not wordnet().knows(name)
    return not wordnet().knows(name) or base is not None or plurals().get(name) == ""


@lru_cache(_KEPT)
def singular(noun: str) -> str:
    """Singularise a noun phrase by its head; unchanged if it is not plural or has no singular (scissors)."""
    name = head(noun).casefold()
    if not is_plural(noun) or plurals().get(name) == "" or _is_own_thing(name):
        return noun
    regular = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    return with_head(noun, _irregular().get(name) or wordnet().base(name) or regular)


def _is_own_thing(name: str) -> bool:
    synsets = wordnet().synsets(name)
    return bool(synsets) and synsets[0].lexname == "noun.artifact" and wordnet().lookup(name).lemma == name


_NAMING = {"noun.location", "noun.communication", "noun.group", "noun.time", "noun.cognition"}
_THE_ENDING = re.compile(
    r"(?:ocean|sea|river|desert|canal|gulf|peninsula|mountains|islands|republic|kingdom|states|emirates|empire|union|"
    r"philippines|bahamas|maldives|seychelles|tower of .*|statue of .*|house of .*|city of .*|isle of .*|"
    r"republic of .*)$"
)


def names(noun_phrase: str) -> tuple[Synset, ...]:
    """List the proper-name senses of a phrase: single things, and capitalised languages, faiths, days and groups."""
    folded = fold(noun_phrase)
    synsets = wordnet().synsets(folded)
    return tuple(
        synset for synset in synsets if _capital(synset, folded) and (synset.instance or synset.lexname in _NAMING)
    )


def _capital(synset: Synset, folded: str) -> bool:
    return any(lemma != lemma.lower() and not lemma.isupper() for lemma in synset.lemmas if fold(lemma) == folded)


def is_proper(noun_phrase: str) -> bool:
    """Return True if a noun phrase is a proper name.

    It is one if its first sense in WordNet is, unless the phrase is in lower case and at least as frequent as a common
    noun (jersey). A phrase unknown to WordNet is one if each word is capitalised.
    """
    senses = wordnet().senses(noun_phrase)
    if senses:
        proper = {synset.id for synset in names(noun_phrase)}
        common = sum(count for synset_id, count in senses if synset_id not in proper)
        small = noun_phrase == noun_phrase.lower() and 1 < len(senses) > len(proper)
        return senses[0][0] in proper and not (small and senses[0][1] <= common)
    capital = all(word[:1].isupper() or word.isdigit() for word in noun_phrase.split())
    return noun_phrase[:1].isupper() and not noun_phrase.isupper() and capital


def takes_the(name: str) -> bool:
    """Return True if a proper name takes "the" (the Nile, the United States, the Pacific Ocean; but Italy)."""
    folded = fold(name)
    if folded in words("the names") or _THE_ENDING.search(folded):
        return True
    return bool(senses := names(name)) and all(is_of_kind(synset.id, "with the") for synset in senses)


_NONCOUNT_FILES = {"noun.substance", "noun.feeling"}
_DETERMINED = re.compile(
    r"(?:a|an|the|this|that|these|those|my|your|his|her|its|our|their|some|any|no|each|every|all|both"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|several|many|\d[\d.,]*)\s|[$£€]?\d[\d.,:%]*$",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"(?:'s|s')\s")
_AN = re.compile(r"hour|honest|hono(?:u)?r|heir|herb\b|hors d|[aefhilmnorsx](?:\d|\b|[-.])|8|11\b|18\b", re.IGNORECASE)
_A = re.compile(
    r"uni(?!n|mp|mag|den)|u[bcfhjkqrst][aeiou]|us[eu]|utah|u[.-]|u\b|eu(?!d\b)|ewe|one\b|once|one-|ouija", re.IGNORECASE
)
# Letters spelled out: an FBI agent, an SUV; but a US state, a UFO.
_SPELLED_AN = re.compile(r"[FHLMNRSX](?![AEIOU])[A-Z0-9]+\b|SUV|SOS|LED\b")
_SPELLED_A = re.compile(r"U[A-Z]{1,2}\b")


def is_counted(noun: str) -> bool:
    """Return True if a noun phrase takes "a": not a plural, a proper name or a noncount noun (rice, leather)."""
    if is_plural(noun) or is_proper(noun):
        return False
    word = fold(head(noun))
    if " of " in noun or word in words("counted"):
        return True
    if plurals().get(word) == "" or word in words("noncount"):
        return False
    synsets = wordnet().lookup(noun).synsets
    if not synsets:
        return not word.endswith("ing") or len(word) < 6
    return not _is_noncount(synsets[0], word)


def _is_noncount(synset: Synset, word: str) -> bool:
    gerund = word.endswith("ing") and synset.lexname == "noun.act"
    mass = synset.lexname in _NONCOUNT_FILES or gerund or is_of_kind(synset.id, "not counted")
    return mass and not is_of_kind(synset.id, "counted all the same")


def plural(noun: str) -> str:
    """Pluralise a noun phrase by its head; unchanged if it is plural or has no plural (rice, scissors)."""
    name = head(noun).casefold()
    if not name or not is_counted(noun):
        return noun
    man = name.endswith("man") and not name.endswith(("human", "german", "roman", "shaman", "ottoman", "caiman"))
    return with_head(noun, plurals().get(name) or (f"{name[:-3]}men" if man else _regular(name)))


def _regular(noun: str) -> str:
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"


def article(noun_phrase: str) -> str:
    """Add the article that a noun phrase takes on first mention: an owl, rice, Italy, the Pacific Ocean.

    Phrases with a determiner, a number or a possessive pronoun are unchanged.
    """
    phrase = noun_phrase.strip()
    if not phrase or _DETERMINED.match(phrase):
        return phrase
    if owner := _POSSESSIVE.search(phrase):
        return article(phrase[: owner.start()]) + phrase[owner.start() :]
    if is_proper(phrase):
        return f"the {phrase}" if takes_the(phrase) else phrase
    return f"{indefinite(phrase)} {phrase}" if is_counted(phrase) else phrase


def indefinite(phrase: str) -> str:
    """Choose "a" or "an" by the first sound of a phrase: an hour, a unit, an FBI agent."""
    if _AN.match(phrase) or _SPELLED_AN.match(phrase):
        return "an"
    return "an" if phrase[0].casefold() in "aeiou" and not (_A.match(phrase) or _SPELLED_A.match(phrase)) else "a"


@lru_cache(1 << 14)
def _lemmas_of(word: str) -> tuple[str, ...]:
    parts: tuple[Part, ...] = ("n", "v", "a")
    bases = (wordnet().base(word), *(wordnet().morphy(word, part) for part in parts))
    return tuple(dict.fromkeys(base for base in bases if base)) or (word,)


@lru_cache(1 << 14)
def vocabulary(text: str) -> frozenset[str]:
    """Collect the words of a text as written, and the lemmas of its content words."""
    return frozenset(re.findall(r"[a-z]+", fold(text))) | frozenset(lemmas(text))


@lru_cache(1 << 14)
def lemmas(text: str) -> tuple[str, ...]:
    """List the distinct lemmas of a text's content words; a word of several parts of speech has several.

    They show whether one text gives another away: "baking" yields bake and baking, "leaves" leaf and leave.
    """
    stripped = (word.removesuffix("'s").strip("'") for word in fold(text).split())
    content = (word for word in stripped if word and word not in words("stop"))
    return tuple(dict.fromkeys(base for word in content for base in _lemmas_of(word)))


@cache
def inflector() -> ModuleType:
    """Import lemminflect, which is slow and imports spaCy itself if that is installed and working."""
    runs("spacy")
    return import_module("lemminflect")


@lru_cache(1 << 14)
def form(verb: str, tag: Literal["VBD", "VBG", "VBN", "VBZ"]) -> str:
    """Inflect a verb's base form: past, -ing form, participle or third person."""
    endings = {"VBD": "ed", "VBG": "ing", "VBN": "ed", "VBZ": "s"}
    return str(next(iter(inflector().getInflection(verb, tag)), verb + endings[tag]))


_KINDS = {"noun.animal", "noun.artifact", "noun.food", "noun.object", "noun.plant"}


def is_compound(adjective: str, noun: str) -> bool:
    """Return True if an adjective and a noun name a kind of thing: hot dog, polar bear, stuffed animal."""
    if adjective in words("no kinds"):
        return False
    if f"{adjective} {noun}" in words("compounds"):
        return True
    synsets = wordnet().synsets(f"{adjective} {noun}") or wordnet().synsets(f"{adjective} {plural(noun)}")
    kinds = [synset for synset in synsets if synset.lexname in _KINDS and not synset.instance]
    if adjective not in ("black", "white") and not wordnet().is_colour(adjective):
        return bool(kinds)
    grown = [synset for synset in kinds if synset.lexname != "noun.object"]
    return any(wordnet().is_a(kind.id, synset.id) for kind in grown for synset in wordnet().synsets(noun))
