"""Whether a sense is the kind of thing that a question asks for: an aspen is no place, London no country."""

from functools import lru_cache

from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.number import head
from kbe_graph.english.wordnet import LEXNAMES, Synset, wordnet
from kbe_graph.question import Reading
from kbe_graph.question.sought import CONCRETE, category, is_kind
from kbe_graph.text import fold

_NARROW = {"country": "country", "nation": "country", "continent": "continent", "month": "month", "season": "season"}
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


def suits(reading: Reading, answer: str, synset: Synset) -> bool:
    """Return whether a sense may answer a question that asks for that; true where its noun says too little."""
    if reading.asks("measure"):
        return synset.lexname in _MEASURES
    if not reading.firm and _is_deed(reading, fold(answer)):
        return synset.lexname in _DEEDS
    if not reading.firm:
        return True
    if narrow := _NARROW.get(head(reading.asks_for)):
        return is_kind(synset.id, narrow)
    files = _files(reading)
    return not files or is_kind(synset.id, reading.asks_for) or synset.lexname.removeprefix("noun.") in files


def _is_deed(reading: Reading, name: str) -> bool:
    """Return whether a question about a deed, or how and why, is answered by a verb: landing, fly."""
    counts = wordnet().counts(name)
    verb, noun = counts.get("v", 0), counts.get("n", 0)
    if reading.asks("action"):
        return verb > noun or (name.endswith("ing") and wordnet().morphy(name, "v") not in {None, name})
    return reading.asks("reason") and verb > _MOSTLY * noun


@lru_cache(1 << 10)
def _files(reading: Reading) -> frozenset[str]:
    noun = reading.asks_for
    if reading.field == "area":
        return frozenset({"location", "object"})
    if reading.field == "spot":
        return frozenset({"location", "object", "artifact", "group", "act", "event", "plant"} - _plant(noun))
    if reading.field == "sport":
        return frozenset({"act", "event"})
    if noun == "person":
        return frozenset(_FILES["noun.person"])
    main, *others = category(noun) or (None,)
    if main is None or main.lexname not in _SEEN:
        return _ANYTHING
    kinds = [_of_kind(kind, reading) for kind in (main, *others) if kind.lexname in _SEEN]
    return frozenset().union(*kinds) if all(kinds) else _ANYTHING


def _plant(noun: str) -> set[str]:
    """Return what is no spot that can be named, though animals may live there and things be found there."""
    return {"plant"} if noun != "location" and "habitat" not in noun else set()


def _of_kind(kind: Synset, reading: Reading) -> set[str]:
    if is_of_kind(kind.id, "instrumentality", "clothing"):
        return {"artifact", "substance"} if reading.asks("material") else {"artifact"}
    if kind.lexname == "noun.artifact" and reading.asks_kind:
        return {name.removeprefix("noun.") for name in {*LEXNAMES} - _NOT_MADE}
    return _FILES.get(kind.lexname, set())
