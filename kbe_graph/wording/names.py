"""The kinds of things in a picture, and names that mean one of them."""

import re
from collections.abc import Iterator, Sequence

from kbe_graph.english.inflect import plural
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.number import is_plural
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.senses.candidates import NONE, usual
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, SampleGraph, Triplet

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
    """Return True if an entity is a person by its first sense."""
    return any(is_of_kind(synset.id, "person") for synset in wordnet().lookup(entity.name.lower()).synsets[:1])


def kind_of(entity: Entity) -> str:
    """Return the kind that a question may call an entity, else empty."""
    sense = sense_of(entity)
    name = fold(entity.name)
    if name in _NOT_CALLED_SO:
        return ""
    nouns = (noun for noun, kind in _NOUNS.items() if is_of_kind(sense, kind) and name not in noun)
    return "" if name[-5:] == "board" else next(nouns, "")


def sense_of(entity: Entity) -> str:
    """Return an entity's sense: its concept, else the usual one of visible things, else the first if far commoner."""
    if entity.concept.startswith("wn30:"):
        return entity.concept
    if usual_sense := usual(entity.name):
        return usual_sense.concept.removeprefix(NONE)
    senses = wordnet().senses(wordnet().lookup(entity.name.lower()).lemma)
    clear = len(senses) == 1 or (senses and senses[0][1] >= max(_CLEAR * senses[1][1], 1))
    return senses[0][0] if clear else ""


def is_animate(entity: Entity) -> bool:
    """Return True if a frequent sense of an entity is a living being that acts."""
    senses = wordnet().lookup(entity.name.lower()).synsets[:3]
    return any(is_of_kind(synset.id, "person", "animal", "people") for synset in senses)


def is_room(entity: Entity) -> bool:
    """Return True if an entity is a room: it has things on its walls, and is not on them."""
    return any(is_of_kind(synset.id, "room") for synset in wordnet().lookup(entity.name.lower()).synsets[:1])


def may_be(entity: Entity, noun: str) -> bool:
    """Return True if some sense of an entity is of the noun's kind; a word unknown to WordNet may be anything."""
    senses = wordnet().lookup(entity.name.lower()).synsets
    return not senses or any(is_of_kind(synset.id, _NOUNS[noun]) for synset in senses)


class Names:
    """The names for the things of one graph, so that each phrase means one of them."""

    def __init__(self, graph: SampleGraph) -> None:
        self._visual = graph.visual
        self.depicted = tuple(triplet for triplet in graph.visual if triplet.subject == IMAGE)
        """The triplets that say that a thing is in the picture."""
        self._entities = {triplet.object.key: triplet.object for triplet in self.depicted}

    def is_many(self, entity: Entity) -> bool:
        """Return True if an entity stands for several things."""
        counted = any(
            triplet.object.name in words("numbers") - {"one"} for triplet in self._visual if triplet.subject == entity
        )
        return counted or is_plural(entity.name.lower()) or self._is_said_of_many(entity)

    def _is_said_of_many(self, entity: Entity) -> bool:
        """Return True if a caption speaks of several, though the singular is the name (a group of people)."""
        name = entity.name.lower()
        texts = (triplet.evidence.lower() for triplet in self.depicted if triplet.object == entity)
        return any(_has_word(text, plural(name)) and not _has_word(text, name) for text in texts)

    def chain(self, path: Sequence[Triplet]) -> tuple[str, str]:
        """Return the words before the question, and the phrase for the end of a path (the man in this image).

        The end of two edges is named by the first: in this image, the horse that the man is riding.
        """
        first = self.the(path[0].object)
        return (
            ("", f"{first} in this image")
            if len(path) == 1
            else ("in this image, ", self._by_relation(path[-1], first))
        )

    def _by_relation(self, triplet: Triplet, subject: str) -> str:
        verb = "are" if self.is_many(triplet.subject) else "is"
        return f"the {self._noun(triplet.object)} that {subject} {verb} {triplet.relation}"

    def is_alone(self, triplet: Triplet) -> bool:
        """Return True if a relation ties its subject to one thing of the object's name."""
        same = (
            other for other in self._visual if (other.subject, other.relation) == (triplet.subject, triplet.relation)
        )
        return not any(other.object != triplet.object and other.object.name == triplet.object.name for other in same)

    def _noun(self, entity: Entity) -> str:
        name = entity.name.lower()
        return plural(name) if self.is_many(entity) else name

    def the(self, entity: Entity) -> str:
        """Return "the" and the name, with an attribute if another thing has the name; empty where that is no help."""
        others = [
            other for other in self._entities.values() if fold(other.name) == fold(entity.name) and other != entity
        ]
        if not others:
            return f"the {self._noun(entity)}"
        taken = {attribute for other in others for attribute in self._attributes(other)}
        own = next((attribute for attribute in self._attributes(entity) if attribute not in taken), "")
        return f"the {own} {self._noun(entity)}" if own else ""

    def _attributes(self, entity: Entity) -> Iterator[str]:
        names = (
            triplet.object.name
            for triplet in self._visual
            if triplet.subject == entity and triplet.object.name.islower()
        )
        yield from (
            name for name in names if name not in words("numbers") and " " not in name and not name.endswith("ing")
        )

    def others(self, triplet: Triplet, kind: str) -> list[str]:
        """Return the names of the other things that a question by a relation, and a kind if any, is right for."""
        others = [
            other.object
            for other in self._visual
            if (other.subject, fold(other.relation)) == (triplet.subject, fold(triplet.relation))
            and fold(other.object.name) != fold(triplet.object.name)
        ]
        fit = any(not kind or may_be(other, kind) for other in others)
        return sorted({other.name for other in others}) if fit else []


def _has_word(text: str, name: str) -> bool:
    return bool(re.search(rf"\b{re.escape(name)}\b", text))
