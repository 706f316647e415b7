"""Kinds of visible objects, by their place in WordNet's taxonomy."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from kbe_graph.english.kinds import is_of_kind, kind
from kbe_graph.english.wordnet import Synset, wordnet

Kind = Literal["place", "clothing", "person", "body", "sport", "food", "vehicle", "device", "animal", "toy"]

_SEEN = {
    *(
        "noun.Tops",
        "noun.animal",
        "noun.artifact",
        "noun.body",
        "noun.food",
        "noun.group",
        "noun.location",
        "noun.object",
    ),
    *("noun.person", "noun.phenomenon", "noun.plant", "noun.substance", "noun.communication"),
}
# For two of COCO's categories, WordNet's most frequent sense is wrong: the toilet fixture, and the computer mouse.
_PICTURED = {"toilet": "toilet fixture", "mouse": "computer mouse"}
_KINDS: Mapping[Kind, tuple[str, ...]] = {
    "place": ("visible place",),
    "clothing": ("clothing", "footwear"),
    "toy": ("toy",),
    "animal": ("animal",),
    "person": ("person",),
    "body": ("body part",),
    "sport": ("sports gear",),
    "vehicle": ("conveyance",),  # unlike "vehicle", includes trains
    "device": ("instrumentality",),  # devices, tools, equipment, vehicles, containers
    "food": ("food",),
}


@lru_cache(1 << 14)
def senses(name: str) -> tuple[Synset, ...]:
    """List the senses of a name that an image can show, most frequent first; otherwise its first sense.

    A rare sense for a person comes after one for an animal, a plant or food (ostrich, chick), which is more likely
    shown.
    """
    synsets = wordnet().lookup(name).synsets
    if name in _PICTURED:
        synsets = (*map(wordnet().synset, kind(_PICTURED[name])), *synsets)
    seen = [synset for synset in synsets if synset.lexname in _SEEN and not synset.instance]
    if any(synset.lexname in ("noun.animal", "noun.plant", "noun.food") for synset in seen):
        seen.sort(key=_is_rare_person)
    return tuple(seen) or synsets[:1]


def _is_rare_person(synset: Synset) -> bool:
    return synset.lexname == "noun.person" and not any(
        count for lemma in synset.lemmas for sense, count in wordnet().senses(lemma) if sense == synset.id
    )


@lru_cache(1 << 14)
def is_a(name: str, kind: Kind) -> bool:
    """Return True if the first visible sense of a name is of this kind."""
    return any(is_of_kind(synset.id, *_KINDS[kind]) for synset in senses(name)[:1])


@lru_cache(1 << 14)
def is_thing(name: str) -> bool:
    """Return True if the most frequent sense of a name is a visible object: a cap, but not a sport or a city."""
    synsets = wordnet().lookup(name).synsets
    return bool(synsets) and synsets[0].lexname in _THINGS


@lru_cache(1 << 14)
def is_seen(name: str) -> bool:
    """Return True if the most frequent sense of a name can be visible in an image, or the name is unknown."""
    synsets = wordnet().lookup(name).synsets
    return not synsets or (synsets[0].lexname in _SEEN and not synsets[0].instance)


_THINGS = {"noun.animal", "noun.artifact", "noun.body", "noun.food", "noun.person", "noun.plant"}
