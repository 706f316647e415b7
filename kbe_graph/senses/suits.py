"""Whether a sense is the kind of thing that a question asks for: an aspen is no place, London no country."""

from kbe_graph.english.number import head
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.question import Reading
from kbe_graph.question.sought import is_kind, may_be
from kbe_graph.text import fold

_NARROW = {"country": "country", "nation": "country", "continent": "continent", "month": "month", "season": "season"}
_MEASURES = {"noun.quantity", "noun.time", "noun.attribute", "noun.shape", "noun.possession"}
_DEEDS = {"noun.act", "noun.event", "noun.process", "noun.state", "noun.phenomenon", "noun.Tops", "noun.cognition"}
_MOSTLY = 3


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
    of_material = reading.asks("material") and synset.lexname == "noun.substance"
    return of_material or may_be(synset, reading.asks_for)


def _is_deed(reading: Reading, name: str) -> bool:
    """Return whether a question about a deed, or how and why, is answered by a verb: landing, fly."""
    counts = wordnet().counts(name)
    verb, noun = counts.get("v", 0), counts.get("n", 0)
    if reading.asks("action"):
        return verb > noun or (name.endswith("ing") and wordnet().morphy(name, "v") not in {None, name})
    return reading.asks("reason") and verb > _MOSTLY * noun
