"""The phrases for an answer that fit it and what is asked of it.

A food is no material, a street no thing; the origin is asked of a breed, not of one dog; the longest river is that of a
continent or a country, not of a place.
"""

import re
from collections.abc import Iterable, Iterator

from kbe_graph.express.reference import Phrase
from kbe_graph.lexicon.concept import kinds_of, synset_of
from kbe_graph.lexicon.wordnet import Synset

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
_A_THING, _A_MATERIAL = re.compile("the thing "), re.compile("the material ")
_NO_THING = re.compile(r"^(?:the|this|these) (?:[\w-]+ )?(?:place|activity|activities|event|game|sport)s?\b")
_NO_PLACE = re.compile(r"^(?:the|this) (?:thing|kind|type|sort|environment|habitat)s?\b")
_NAMED = {"noun.artifact", "noun.location", "noun.object"}


def fitted(phrases: Iterable[Phrase], concept: str, relation: str) -> tuple[Phrase, ...]:
    """Return the phrases that may stand for an answer where a relation is asked of it; none where none fits."""
    synset = synset_of(concept)
    wrong = tuple(_miscalling(synset, relation))
    found = tuple(phrase for phrase in phrases if not any(pattern.match(phrase.text) for pattern in wrong))
    if relation in _ORIGINS:
        return tuple(phrase for phrase in found if _KIND.match(phrase.text)) or found
    if relation in _OF_LEVEL:
        level = _level(concept) or "place"
        return tuple(Phrase(_PLACE.sub(rf"\1 {level}", text), plural) for text, plural in found)
    if relation.startswith("number of "):
        return tuple(phrase for phrase in found if not phrase.plural)
    if synset and synset.lexname == "noun.animal":
        return tuple(Phrase(_THING.sub(r"\1 animal\2", text), plural) for text, plural in found)
    return found


def _miscalling(synset: Synset | None, relation: str) -> Iterator[re.Pattern[str]]:
    """Give what a phrase would call an answer that it is not, or that the relation is not asked of."""
    if relation in _OF_THINGS:
        yield _NO_THING
    if relation in _OF_LEVEL:
        yield _NO_PLACE
    if synset is None:
        return
    if synset.instance and synset.lexname in _NAMED:  # one bridge or one mountain, not a kind of them
        yield _KIND
    if _GROUND & set(kinds_of(synset.id)) or synset.lexname == "noun.act":
        yield _A_THING
    elif synset.lexname == "noun.food":
        yield _A_MATERIAL


def _level(concept: str) -> str:
    return next((_LEVELS[kind] for kind in kinds_of(concept) if kind in _LEVELS), "")
