"""The phrases for an answer that fit it and what is asked of it.

A food is no material, a street no thing; the origin is asked of a breed, not of one dog; the longest river is that of a
continent or a country, not of a place.
"""

import re
from collections.abc import Iterable

from kbe_graph.express.reference import Phrase
from kbe_graph.lexicon.concept import kinds_of, synset_of

# Ways, geological formations, bodies of water.
_GROUND = {"wn30:04564698-n", "wn30:09287968-n", "wn30:09225146-n"}
_ORIGINS = {"country of origin", "place of origin"}
_KIND = re.compile(r"^(?:the|this) (?:[\w-]+ )?(?:kind|type|sort|breed|species|pattern|style|category)\b")
_LEVELS = {
    "wn30:09254614-n": "continent",
    "wn30:08544813-n": "country",
    "wn30:08654360-n": "state",
    "wn30:08524735-n": "city",
}
_OF_LEVEL = {
    "capital",
    "state capital",
    "longest river",
    "highest peak",
    "largest lake",
    "largest city",
    "lowest point",
    "largest island",
    "time zone",
}
# Asked of what is made or mended, not of where one is.
_OF_THINGS = {"repairer", "maker", "material", "raw material", "craftsman"}
_PLACE = re.compile(r"^(the|this) place\b")
_THING = re.compile(r"^(the|this|these) thing(s?)\b")
_NO_THING = re.compile(r"^(?:the|this|these) (?:[\w-]+ )?(?:place|activity|activities|event|game|sport)s?\b")
_NO_PLACE = re.compile(r"^(?:the|this) (?:thing|kind|type|sort|environment|habitat)s?\b")
_NAMED = {"noun.artifact", "noun.location", "noun.object"}


def fitted(phrases: Iterable[Phrase], concept: str, relation: str) -> tuple[Phrase, ...]:
    """Return the phrases that may stand for an answer where a relation is asked of it; none where none fits."""
    found = [phrase for phrase in phrases if not _miscalled(phrase.text, concept)]
    if relation in _OF_THINGS:
        found = [phrase for phrase in found if not _NO_THING.match(phrase.text)]
    if _is_named(concept):
        found = [phrase for phrase in found if not _KIND.match(phrase.text)]
    if relation in _ORIGINS and any(_KIND.match(phrase.text) for phrase in found):
        return tuple(phrase for phrase in found if _KIND.match(phrase.text))
    if relation in _OF_LEVEL:
        level = _level(concept) or "place"
        called = (Phrase(_PLACE.sub(rf"\1 {level}", text), plural) for text, plural in found)
        return tuple(phrase for phrase in called if not _NO_PLACE.match(phrase.text))
    if relation.startswith("number of "):
        return tuple(phrase for phrase in found if not phrase.plural)
    return tuple(_as_being(phrase, concept) for phrase in found)


def _miscalled(text: str, concept: str) -> bool:
    """Return whether a phrase calls an answer what it is not, though it fits the question."""
    synset = synset_of(concept)
    if synset is None:
        return False
    ground = bool(_GROUND & set(kinds_of(synset.id)))
    wrong = "the thing " if ground else {"noun.food": "the material ", "noun.act": "the thing "}.get(synset.lexname)
    return wrong is not None and text.startswith(wrong)


def _as_being(phrase: Phrase, concept: str) -> Phrase:
    """Return a phrase that calls an animal so, not a thing."""
    synset = synset_of(concept)
    if synset is None or synset.lexname != "noun.animal":
        return phrase
    return Phrase(_THING.sub(lambda match: f"{match[1]} animal{match[2]}", phrase.text), phrase.plural)


def _is_named(concept: str) -> bool:
    """Return whether a concept is one bridge or one mountain, not a kind of them."""
    synset = synset_of(concept)
    return synset is not None and synset.instance and synset.lexname in _NAMED


def _level(concept: str) -> str:
    return next((_LEVELS[kind] for kind in kinds_of(concept) if kind in _LEVELS), "")
