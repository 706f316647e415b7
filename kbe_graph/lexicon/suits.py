"""Whether a sense is the kind of thing that a question asks for: an aspen is no place, London no country."""

import re
from functools import lru_cache

from kbe_graph.lexicon.constraints import CONCRETE
from kbe_graph.lexicon.number import head
from kbe_graph.lexicon.question import Asked, category, is_kind
from kbe_graph.lexicon.wordnet import LEXNAMES, Synset, wordnet
from kbe_graph.text import fold

_NARROW = {"country": "country", "nation": "country", "continent": "continent", "month": "month", "season": "season"}
_PLACE = re.compile(
    r"\b(?:city|cities|towns?|states?|provinces?|regions?|countr(?:y|ies)|nations?|continents?|capital)$"
)
_SPOT = re.compile(r"\b(?:places?|place name|locations?|venue|habitat|terrain|environment)$")
_SPORT = re.compile(r"\b(?:sports?|games?|hobby|competition|tournament|contest)$")
_INSTRUMENT, _CLOTHING = "wn30:03575240-n", "wn30:03051540-n"
_MEASURE = re.compile(
    r"^how (?:big|deep|fast|far|heavy|high|large|long|much|tall|wide)\b|\bsize of\b|\b(?:what|which)(?: \w+){0,2} sizes?\b"
)
_MEASURES = {"noun.quantity", "noun.time", "noun.attribute", "noun.shape", "noun.possession"}
_DEEDS = {"noun.act", "noun.event", "noun.process", "noun.state", "noun.phenomenon", "noun.Tops", "noun.cognition"}
_MOSTLY = 3
# What is no kind of an artifact: a bed is of no queen, a plane of no passenger.
_NOT_MADE = {"noun.person", "noun.animal", "noun.body", "noun.quantity", "noun.time", "noun.motive"}
# What may answer a question for a thing of the file: fish and leaves are food, wood and fruit come of trees.
_FILES = {
    "noun.animal": {"animal", "Tops", "body"},
    "noun.food": {"food", "plant", "animal", "substance", "Tops"},
    "noun.plant": {"plant", "food", "substance", "Tops"},
    "noun.person": {"person", "group", "animal", "Tops"},
    "noun.object": {"object", "artifact", "substance"},
}
_SEEN = CONCRETE | {"noun.person"}
_ANYTHING: frozenset[str] = frozenset()


def suits(question: str, about: Asked, answer: str, synset: Synset) -> bool:
    """Return whether a sense may answer a question that asks for that; true where its noun says too little."""
    if _MEASURE.search(fold(question)):
        return synset.lexname in _MEASURES
    if not about.firm and _is_deed(about, fold(answer)):
        return synset.lexname in _DEEDS
    if not about.firm:
        return True
    if narrow := _NARROW.get(head(about.noun)):
        return is_kind(synset.id, narrow)
    files = _files(about)
    return not files or is_kind(synset.id, about.noun) or synset.lexname.removeprefix("noun.") in files


def _is_deed(about: Asked, name: str) -> bool:
    """Return whether a question about a deed, or how and why, is answered by a verb: landing, fly."""
    counts = wordnet().counts(name)
    verb, noun = counts.get("v", 0), counts.get("n", 0)
    if about.action:
        return verb > noun or (name.endswith("ing") and wordnet().morphy(name, "v") not in {None, name})
    return about.reason and verb > _MOSTLY * noun


@lru_cache(1 << 10)
def _files(about: Asked) -> frozenset[str]:
    noun = about.noun
    if _PLACE.search(noun):
        return frozenset({"location", "object"})
    if _SPOT.search(noun):
        return frozenset({"location", "object", "artifact", "group", "act", "event", "plant"} - _plant(noun))
    if _SPORT.search(noun):
        return frozenset({"act", "event"})
    if noun == "person":
        return frozenset(_FILES["noun.person"])
    main, *others = category(noun) or (None,)
    if main is None or main.lexname not in _SEEN:
        return _ANYTHING
    kinds = [_of_kind(kind, about) for kind in (main, *others) if kind.lexname in _SEEN]
    return frozenset().union(*kinds) if all(kinds) else _ANYTHING


def _plant(noun: str) -> set[str]:
    """Return what is no spot that can be named, though animals may live there and things be found there."""
    return {"plant"} if noun != "location" and "habitat" not in noun else set()


def _of_kind(kind: Synset, about: Asked) -> set[str]:
    if wordnet().is_a(kind.id, _INSTRUMENT) or wordnet().is_a(kind.id, _CLOTHING):
        return {"artifact", "substance"} if about.material else {"artifact"}
    if kind.lexname == "noun.artifact" and about.kind:
        return {name.removeprefix("noun.") for name in {*LEXNAMES} - _NOT_MADE}
    return _FILES.get(kind.lexname, set())
