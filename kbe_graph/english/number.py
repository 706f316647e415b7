"""The number of English nouns, and proper names: which word is inflected, and which phrases name a single thing."""

import re
from functools import cache, lru_cache

from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import is_of_kind, words
from kbe_graph.files.resources import data
from kbe_graph.text import fold

OWN_PLURALS = {
    "person": "people",
    "ox": "oxen",
    "die": "dice",
    "cactus": "cacti",
    "hoof": "hooves",
    "scarf": "scarves",
    "leaf": "leaves",
    "half": "halves",
    "wharf": "wharves",
    "dwarf": "dwarves",
    "passer-by": "passers-by",
}
_SINGULAR_ENDINGS = ("ss", "us", "is", "ics", "os")
_KEPT = 1 << 14  # a run looks up the same nouns repeatedly
_LINK = re.compile(r"\s(?:of|with|in|on|for|from|at|to|near|under|over|behind|by)\s")


@cache
def plurals() -> dict[str, str]:
    """Load the irregular plurals by noun; an empty plural means that the noun has none."""
    text = data("wordnet").joinpath("plurals.tsv").read_text(encoding="utf-8")
    irregular = dict(line.split("\t") for line in text.splitlines())
    return irregular | OWN_PLURALS | {noun: noun for noun in words("unchanged")}


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
