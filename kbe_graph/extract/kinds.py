"""Kinds of visible things, by their place in WordNet's taxonomy."""

from functools import cache
from typing import Literal

from kbe_graph.lexicon.wordnet import Synset, wordnet

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
# Two of COCO's categories are not the most frequent sense of their name: the fixture, and the computer's mouse.
_PICTURED = {"toilet": "wn30:04446521-n", "mouse": "wn30:03793489-n"}
_ABOVE: dict[Kind, set[str]] = {
    # location, way, area (rooms), geological formation, body of water, building, establishment, facility, land, floor,
    # stadium, sky, ski tow
    "place": {
        *("wn30:00027167-n", "wn30:04564698-n", "wn30:02735688-n", "wn30:09287968-n", "wn30:09225146-n"),
        *("wn30:02913152-n", "wn30:03297735-n", "wn30:03315023-n", "wn30:09334396-n", "wn30:03365592-n"),
        *("wn30:04295881-n", "wn30:09436708-n", "wn30:04105893-n"),
    },
    "clothing": {"wn30:03051540-n", "wn30:03380867-n", "wn30:03381126-n"},
    "toy": {"wn30:03964744-n"},
    "animal": {"wn30:00015388-n"},
    "person": {"wn30:00007846-n"},
    "body": {"wn30:05220461-n"},
    # sports equipment, sports implement, game equipment, board, ski, plaything, athlete, playing field
    "sport": {
        *("wn30:04285146-n", "wn30:04285622-n", "wn30:03414162-n", "wn30:02856463-n", "wn30:04228054-n"),
        *("wn30:09820263-n", "wn30:08570758-n", "wn30:03397947-n"),
    },
    # conveyance, which has trains where vehicle has not
    "vehicle": {"wn30:03100490-n"},
    # instrumentality: devices, tools, equipment, vehicles, containers
    "device": {"wn30:03575240-n"},
    "food": {"wn30:00021265-n", "wn30:07555863-n"},
}


@cache
def senses(name: str) -> tuple[Synset, ...]:
    """Return the senses of a name that a picture can show, most frequent first; its first sense where there is none.

    A name of a person comes after one of an animal, a plant or food (ostrich, chick), which is rather in a picture.
    """
    found = wordnet().lookup(name).synsets
    if name in _PICTURED:
        found = (wordnet().synset(_PICTURED[name]), *found)
    seen = [synset for synset in found if synset.lexname in _SEEN and not synset.instance]
    if any(synset.lexname in ("noun.animal", "noun.plant", "noun.food") for synset in seen):
        seen.sort(key=_is_rare_person)
    return tuple(seen) or found[:1]


def _is_rare_person(synset: Synset) -> bool:
    return synset.lexname == "noun.person" and not any(
        count for lemma in synset.lemmas for one, count in wordnet().senses(lemma) if one == synset.id
    )


@cache
def is_a(name: str, kind: Kind) -> bool:
    """Return whether the first sense of a name that a picture can show is of that kind."""
    return any(wordnet().is_a(synset.id, above) for synset in senses(name)[:1] for above in _ABOVE[kind])


@cache
def is_thing(name: str) -> bool:
    """Return whether the most frequent sense of a name is a thing that can be seen: a cap, but not a sport or a city."""
    found = wordnet().lookup(name)
    return bool(found.synsets) and found.synsets[0].lexname in _THINGS


_THINGS = {"noun.animal", "noun.artifact", "noun.body", "noun.food", "noun.person", "noun.plant"}
