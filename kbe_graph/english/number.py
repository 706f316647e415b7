"""Number of English nouns: which word of a phrase carries it, and what it says.

Regular spelling, then the exceptions of ``plurals.tsv`` (lemminflect's dictionary) and of WordNet.
"""

import re
from functools import cache, lru_cache

from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
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
_KEPT = 1 << 14  # a run asks about the same nouns again and again
_LINK = re.compile(r"\s(?:of|with|in|on|for|from|at|to|near|under|over|behind|by)\s")


@cache
def plurals() -> dict[str, str]:
    """Return the nouns with a plural that spelling does not give; an empty one says that there is none."""
    text = data("wordnet").joinpath("plurals.tsv").read_text(encoding="utf-8")
    irregular = dict(line.split("\t") for line in text.splitlines())
    return irregular | OWN_PLURALS | {noun: noun for noun in words("unchanged")}


@cache
def _irregular() -> dict[str, str]:
    return {form: noun for noun, form in plurals().items() if form and form != noun and noun not in {"taxis", "pus"}}


@lru_cache(_KEPT)
def head(noun_phrase: str) -> str:
    """Return the head word of a noun phrase: the last word before "of", "with" and the like."""
    before = _LINK.split(f" {noun_phrase} ")[0].split() or noun_phrase.split()
    return before[-1] if before else ""


def with_head(noun_phrase: str, word: str) -> str:
    """Return a noun phrase with its head word replaced, in the case of the old one."""
    front = _LINK.split(noun_phrase)[0]
    return " ".join((*front.split()[:-1], _as(head(noun_phrase), word))) + noun_phrase[len(front) :]


def _as(model: str, word: str) -> str:
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word


@lru_cache(_KEPT)
def is_plural(noun: str) -> bool:
    """Return whether the head of a noun phrase is plural in form (giraffes, men, scissors, people)."""
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
    """Return the singular of a noun phrase by its head; itself where it is no plural or has none (scissors)."""
    name = head(noun).casefold()
    if not is_plural(noun) or plurals().get(name) == "" or _is_own_thing(name):
        return noun
    regular = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    return with_head(noun, _irregular().get(name) or wordnet().base(name) or regular)


def _is_own_thing(name: str) -> bool:
    synsets = wordnet().synsets(name)
    return bool(synsets) and synsets[0].lexname == "noun.artifact" and wordnet().lookup(name).lemma == name
