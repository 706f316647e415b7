"""What kind a thing in a picture is of: what a question may call it without naming it."""

from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import wordnet
from kbe_graph.senses.usual import NONE, usual
from kbe_graph.text import fold
from kbe_graph.types import Entity

# What a question may call a thing, with the kind that is meant; the narrow ones first. Natural categories, by which
# people call what they see: nobody asks for a piece of furniture, a container or a tool.
_NOUNS = {
    "animal": "animal",
    "vehicle": "vehicle",
    "musical instrument": "musical instrument",
    "fruit": "edible fruit",
    "vegetable": "vegetable",
    "food": "food",
    "appliance": "appliance",
    "sport": "sport",
}
_CLEAR = 3
# WordNet puts these under a kind that nobody would call them by (a Dutch oven is a pot).
_NOT_CALLED_SO = {"conch", "dutch oven", "passenger car"}


def is_person(entity: Entity) -> bool:
    """Return whether an entity is a person by its first sense."""
    return any(is_of_kind(synset.id, "person") for synset in wordnet().lookup(entity.name.lower()).synsets[:1])


def kind_of(entity: Entity) -> str:
    """Return the kind that a question may call an entity, empty where there is none."""
    sense = sense_of(entity)
    name = fold(entity.name)
    if name in _NOT_CALLED_SO:
        return ""
    nouns = (noun for noun, kind in _NOUNS.items() if is_of_kind(sense, kind) and name not in noun)
    return "" if name[-5:] == "board" else next(nouns, "")


def sense_of(entity: Entity) -> str:
    """Return an entity's sense: its concept, else the usual one of what is seen, else the first if far commoner."""
    if entity.concept.startswith("wn30:"):
        return entity.concept
    if usual_sense := usual(entity.name):
        return usual_sense.concept.removeprefix(NONE)
    senses = wordnet().senses(wordnet().lookup(entity.name.lower()).lemma)
    clear = len(senses) == 1 or (senses and senses[0][1] >= max(_CLEAR * senses[1][1], 1))
    return senses[0][0] if clear else ""


def is_animate(entity: Entity) -> bool:
    """Return whether a frequent sense of an entity is a living being that acts."""
    senses = wordnet().lookup(entity.name.lower()).synsets[:3]
    return any(is_of_kind(synset.id, "person", "animal", "people") for synset in senses)


def is_room(entity: Entity) -> bool:
    """Return whether an entity is a room: what is on its walls is not what it is on."""
    return any(is_of_kind(synset.id, "room") for synset in wordnet().lookup(entity.name.lower()).synsets[:1])


def may_be(entity: Entity, noun: str) -> bool:
    """Return whether some sense of an entity is what the noun says; what WordNet does not know may be anything."""
    senses = wordnet().lookup(entity.name.lower()).synsets
    return not senses or any(is_of_kind(synset.id, _NOUNS[noun]) for synset in senses)
