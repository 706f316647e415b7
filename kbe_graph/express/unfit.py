"""Whether an answer can be what a phrase calls it: people answer past the question, and "the thing" is no sport."""

import re

from kbe_graph.express.reference import Reference
from kbe_graph.lexicon.concept import kinds_of, synset_of
from kbe_graph.lexicon.wordnet import Synset

_HEAD = re.compile(r"^(?:the|this|these|what|one) ?(?P<head>thing|person|people|place|material)?s?\b")
_WHAT = re.compile(r"^what (?!kind|type|sort)")
# Of what WordNet's files an answer may be (a person's file holds gods and roles as well).
_FILES = {
    "person": {"person", "group", "Tops", "animal"},
    "people": {"person", "group", "Tops"},
    "place": {"location", "artifact", "object", "group", "plant", "Tops", "event"},
    "material": {"substance", "artifact", "food", "plant", "animal", "object", "Tops", "body"},
}
_NO_THING = {
    "act",
    "location",
    "person",
    "group",
    "time",
    "event",
    "attribute",
    "state",
    "cognition",
    "feeling",
    "motive",
}
# What nothing is made of.
_STRUCTURES = {"wn30:04341686-n", "wn30:03405725-n", "wn30:03094503-n", "wn30:04524313-n", "wn30:00015388-n"}


def unfit(reference: Reference, concept: str) -> str:
    """Return why an answer cannot be what its reference calls it, empty where it can or WordNet does not know it."""
    synset = synset_of(concept)
    if synset is None or not reference.phrases:
        return ""
    match = _HEAD.match(reference.phrases[0].text)
    head = (match["head"] or "") if match else ""
    if _WHAT.match(reference.phrases[0].text):
        head = "thing"
    return f"{synset.lemmas[0]!r} is no {head}" if head and not _may_be(synset, head) else ""


def _may_be(synset: Synset, head: str) -> bool:
    file = synset.lexname.removeprefix("noun.")
    if head == "thing":
        return file not in _NO_THING
    return file in _FILES[head] and not (head == "material" and _STRUCTURES & set(kinds_of(synset.id)))
