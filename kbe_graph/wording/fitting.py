"""The phrase for an answer that fits what is asked of it.

The origin is asked of a breed, not of one dog; the family of a bird, not of a type of bird; the longest river is that
of a continent or a country, not of a place.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from kbe_graph.english.concept import kinds_of, synset_of
from kbe_graph.english.kinds import is_of_kind, kind
from kbe_graph.facts.relation import Relation
from kbe_graph.types import Entity
from kbe_graph.wording.kind import kind_of
from kbe_graph.wording.reference import Phrase, Reference, is_many

KIND = re.compile(r"^(?:the|this) (?:[\w-]+ )?(?:kind|type|sort|breed|species|pattern|style|category)\b")
OF_KIND = re.compile(
    r"^(the|this|these) (?:(?:specific|particular|exact) )?"
    r"(?:kinds?|types?|sorts?|breeds?|species|variety|varieties) of (?:the |this |these )?(.+)$"
)
_LEVELS = ("continent", "country", "state", "city")
_PLACE = re.compile(r"^(the|this) place\b")
# Nobody sees a whole country in a picture.
_SCENE = re.compile(
    rf"^(?:the|this) ({'|'.join(_LEVELS)})"
    r"(?: (?:that is )?(?:shown |seen |pictured )?in this (?:image|picture|photo))?$"
)
_NOUNS = {"noun.animal": "animal", "noun.plant": "plant", "noun.food": "food"}
_FIRM = re.compile(
    r"^(?:the|this) (?:[\w-]+ )?(?:brand|company|airline|maker|manufacturer|team|restaurant|store)"
    r"(?: (?:of|that|this|the|in|on|shown|seen|pictured)\b|$)"
)
_SHOP = re.compile(r"^(?:the|this) (?:[\w-]+ )?(?:restaurant|store)\b")
_SPORT = re.compile(r"^(?:the|this) (?:[\w-]+ ){0,2}(?:sport|game)\b")
_THING = re.compile(r"^(the|this|these) thing(s?)\b")


def fitting(phrases: Sequence[Phrase], concept: str, relation: Relation) -> tuple[Phrase, ...]:
    """Return the phrases for an answer as they fit a relation asked of it: the best of them, or by a better noun."""
    if relation.asked_of == "kind":
        return tuple(phrase for phrase in phrases if KIND.match(phrase.text)) or tuple(phrases)
    if relation.asked_of == "place":
        level = _level(concept) or "place"
        places = (Phrase(_PLACE.sub(rf"\1 {level}", text), plural) for text, plural in phrases)
        return tuple(Phrase(_SCENE.sub(r"the \1 where this image was taken", text), plural) for text, plural in places)
    if relation.asked_of == "living thing" or relation.family == "taxonomy":
        phrases = tuple(dict.fromkeys(map(_of_itself, phrases)))
    if relation.asked_of in {"firm", "sport"}:
        return _of_names(phrases, relation)
    if relation.asked_of == "one":
        return tuple(phrase for phrase in phrases if not phrase.plural)
    return tuple(phrases)


def call_by_kind(reference: Reference, entity: Entity) -> Reference:
    """Return a reference that calls an answer by its kind where it was called a thing: the animal in this image."""
    synset = synset_of(entity.concept)
    noun = "drink" if is_of_kind(entity.concept, "drink") else kind_of(entity)
    noun = noun or (_NOUNS.get(synset.lexname, "") if synset else "")
    if not noun:
        return reference
    phrases = (Phrase(_THING.sub(rf"\1 {noun}\2", text), plural) for text, plural in reference.phrases)
    return replace(reference, phrases=tuple(phrases))


def _of_names(phrases: Sequence[Phrase], relation: Relation) -> tuple[Phrase, ...]:
    """Return the maker of this phone, the company behind this store: by words for firms or sports alone."""
    pattern = _SPORT if relation.asked_of == "sport" else _FIRM
    called = (phrase for phrase in phrases if pattern.match(phrase.text))
    return tuple(Phrase(_SHOP.sub(r"the company behind \g<0>", text), plural) for text, plural in called)


def _of_itself(phrase: Phrase) -> Phrase:
    """Return the bird in this image for the type of bird in this image."""
    match = OF_KIND.match(phrase.text)
    if match is None:
        return phrase
    determiner, noun = match.groups()
    many = is_many(noun)
    pointing = "these" if many else "this"
    return Phrase(f"{determiner if determiner == 'the' else pointing} {noun}", many)


def _level(concept: str) -> str:
    return next((level for above in kinds_of(concept) for level in _LEVELS if above in kind(level)), "")
