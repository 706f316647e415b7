"""Decides whether an object's words are a noun, by a model's type of it or the noun that its draft asks for.

A word that is mostly an adjective or a verb is a noun where a thing of that kind is meant (watch, silver, scurvy), and
any words are where the kind bears titles or names of its own (songs, films, bands). Of qualities, numbers and deeds the
words alone decide.
"""

from functools import lru_cache
from typing import get_args

from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.number import is_plural, singular
from kbe_graph.english.wordnet import Part, Synset, wordnet
from kbe_graph.english.words import words
from kbe_graph.question.property import category
from kbe_graph.text import fold

_QUALITIES_AND_DEEDS = {"noun.Tops", "noun.attribute", "noun.quantity", "noun.act", "noun.relation", "noun.cognition"}
_PHYSICAL = "wn30:00001930-n"  # physical entity
_PARTS: tuple[Part, ...] = get_args(Part)
_KEPT = 1 << 12


@lru_cache(_KEPT)
def is_of_named_kind(name: str, kind: str) -> bool:
    """Return True if a name can be a noun for a thing of the kind that a word names.

    False says only that the word does not help: the kind is vague, a quality or a deed, or the name is no known one.

    >>> is_of_named_kind("LIVE AND LET DIE", "song"), is_of_named_kind("WATCH", "timepiece")
    (True, True)
    >>> is_of_named_kind("two", "number"), is_of_named_kind("dangerous", "animal")
    (False, False)
    """
    senses = _senses(kind)
    if not senses or not any(map(str.isalpha, name)):
        return False
    if _bears_titles(senses):
        return fold(name) not in words("not nouns")
    folded = fold(name)
    if folded.split()[0] in words("prepositions") or _is_count(folded):
        return False
    return _is_one(folded, singular(fold(kind)), senses)


def is_in_no_dictionary(name: str) -> bool:
    """Return True if WordNet holds a word as no part of speech and as no form of one: qwerty."""
    folded = fold(name)
    return (
        " " not in folded
        and not wordnet().counts(folded)
        and not any(wordnet().morphy(folded, part) for part in _PARTS)
    )


def _senses(kind: str) -> tuple[Synset, ...]:
    """Return the main senses of a kind's noun; none where it is nearly anything."""
    folded = fold(kind)
    return () if folded in words("anything") else category(singular(folded))


def _bears_titles(senses: tuple[Synset, ...]) -> bool:
    return any(is_of_kind(sense.id, "titled") for sense in senses)


def _is_one(folded: str, kind: str, senses: tuple[Synset, ...]) -> bool:
    """Return True if a sense of the name, or of its last word, is of the kind, or in the file of its first sense."""
    own = wordnet().lookup(folded).synsets
    if any(wordnet().is_a(synset.id, sense.id) for synset in own for sense in senses if _is_of_things(sense)):
        return True
    same_file = any(synset.lexname == senses[0].lexname for synset in own)
    return _is_of_things(senses[0]) and (same_file or wordnet().knows(f"{folded} {kind}"))


def _is_of_things(sense: Synset) -> bool:
    return sense.lexname not in _QUALITIES_AND_DEEDS or wordnet().is_a(sense.id, _PHYSICAL)


def _is_count(folded: str) -> bool:
    """Return True if a name tells how many: two wheels, but not the Three Gorges Dam, which is one."""
    first, *rest = folded.split()
    return (first[0].isdigit() or first in words("numbers")) and (not rest or is_plural(rest[-1]))
