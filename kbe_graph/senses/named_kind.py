"""Noun test for an object, given a model's type for it or the noun that the draft question asks for.

A word that is mainly an adjective or a verb is a noun if it means an object of that kind (watch, silver, scurvy), and
any words are if such objects have titles or names (songs, films, bands). For qualities, numbers and actions, the kind
does not help.
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
    """Return True if a name can be a noun for something of this kind.

    False only means that the kind does not help: it is vague, a quality or an action, or the name is unknown.

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
    """Return True if WordNet lists a single word neither as a lemma nor as an inflected form: qwerty."""
    folded = fold(name)
    return (
        " " not in folded
        and not wordnet().counts(folded)
        and not any(wordnet().morphy(folded, part) for part in _PARTS)
    )


def _senses(kind: str) -> tuple[Synset, ...]:
    folded = fold(kind)
    return () if folded in words("anything") else category(singular(folded))


def _bears_titles(senses: tuple[Synset, ...]) -> bool:
    return any(is_of_kind(sense.id, "titled") for sense in senses)


def _is_one(folded: str, kind: str, senses: tuple[Synset, ...]) -> bool:
    own = wordnet().lookup(folded).synsets
    if any(wordnet().is_a(synset.id, sense.id) for synset in own for sense in senses if _is_of_things(sense)):
        return True
    same_file = any(synset.lexname == senses[0].lexname for synset in own)
    return _is_of_things(senses[0]) and (same_file or wordnet().knows(f"{folded} {kind}"))


def _is_of_things(sense: Synset) -> bool:
    return sense.lexname not in _QUALITIES_AND_DEEDS or wordnet().is_a(sense.id, _PHYSICAL)


def _is_count(folded: str) -> bool:
    first, *rest = folded.split()
    return (first[0].isdigit() or first in words("numbers")) and (not rest or is_plural(rest[-1]))
