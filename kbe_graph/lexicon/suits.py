"""Whether a sense is the kind of thing that a question asks for: an aspen is no place, London no country."""

import re

from kbe_graph.lexicon.number import head
from kbe_graph.lexicon.question import Asked, category, is_kind
from kbe_graph.lexicon.wordnet import Synset, wordnet

_NARROW = {"country": "country", "nation": "country", "continent": "continent", "month": "month", "season": "season"}
_PLACE = re.compile(
    r"\b(?:city|cities|towns?|states?|provinces?|regions?|countr(?:y|ies)|nations?|continents?|capital)$"
)
_SPOT = re.compile(r"\b(?:places?|place name|locations?|venue|habitat|terrain|environment)$")
_SPORT = re.compile(r"\b(?:sports?|games?|hobby|competition|tournament|contest)$")
_INSTRUMENT, _CLOTHING = "wn30:03575240-n", "wn30:03051540-n"
# What may answer a question for a thing of the file: fish and leaves are food, wood and fruit come of trees.
_FILES = {
    "noun.animal": {"animal", "Tops", "body"},
    "noun.food": {"food", "plant", "animal", "substance", "Tops"},
    "noun.plant": {"plant", "food", "substance", "Tops"},
    "noun.person": {"person", "group", "animal", "Tops"},
}
_ANYTHING: frozenset[str] = frozenset()


def suits(about: Asked, synset: Synset) -> bool:
    """Return whether a sense may answer a question that asks for that; true where its noun says too little."""
    if not about.firm:
        return True
    if narrow := _NARROW.get(head(about.noun)):
        return is_kind(synset.id, narrow)
    files = _files(about.noun)
    return not files or is_kind(synset.id, about.noun) or synset.lexname.removeprefix("noun.") in files


def _files(noun: str) -> frozenset[str]:
    if _PLACE.search(noun):
        return frozenset({"location", "object"})
    if _SPOT.search(noun):
        return frozenset({"location", "object", "artifact", "group", "act", "event", "plant"} - _plant(noun))
    if _SPORT.search(noun):
        return frozenset({"act", "event"})
    if noun == "person":
        return frozenset(_FILES["noun.person"])
    kinds = [_of_kind(kind) for kind in category(noun)]
    return frozenset().union(*kinds) if kinds and all(kinds) else _ANYTHING


def _plant(noun: str) -> set[str]:
    """Return what is no spot that can be named, though animals may live there and things be found there."""
    return {"plant"} if noun != "location" and "habitat" not in noun else set()


def _of_kind(kind: Synset) -> set[str]:
    if wordnet().is_a(kind.id, _INSTRUMENT) or wordnet().is_a(kind.id, _CLOTHING):
        return {"artifact"}
    return _FILES.get(kind.lexname, set())
