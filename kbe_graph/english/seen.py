"""The kinds of objects in an image, and unambiguous names for them."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kbe_graph.english.inflect import is_plural, plural
from kbe_graph.english.reference import Phrase, Reference, sentence
from kbe_graph.english.sense import NONE, usual
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import is_of_kind, words
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, SampleGraph, Triplet

# Nouns that a question may use for an object, with the kind they refer to, narrow ones first. These are categories
# that people name what they see by: nobody asks for a piece of furniture, a container or a tool.
_NOUNS = ("animal", "vehicle", "musical instrument", "fruit", "vegetable", "food", "appliance", "sport")
_CLEAR = 3
# WordNet lists these under a kind that people would not use for them (a Dutch oven is a pot).
_NOT_CALLED_SO = {"conch", "dutch oven", "passenger car"}


def is_first(entity: Entity, kind: str) -> bool:
    """Return True if the first sense of an entity's name is of a kind, such as person or room."""
    return any(is_of_kind(synset.id, kind) for synset in wordnet().lookup(entity.name.lower()).synsets[:1])


def kind_of(entity: Entity) -> str:
    """Choose the noun for an entity's kind that a question may use; empty if there is none."""
    sense = sense_of(entity)
    name = fold(entity.name)
    if name in _NOT_CALLED_SO:
        return ""
    nouns = (noun for noun in _NOUNS if is_of_kind(sense, noun) and name not in noun)
    return "" if name[-5:] == "board" else next(nouns, "")


def sense_of(entity: Entity) -> str:
    """Choose an entity's sense: its concept, the usual one of visible objects, or the first if it clearly dominates."""
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


def may_be(entity: Entity, noun: str) -> bool:
    """Return True if any sense of an entity belongs to the noun's kind; a word unknown to WordNet may be anything."""
    senses = wordnet().lookup(entity.name.lower()).synsets
    return not senses or any(is_of_kind(synset.id, noun) for synset in senses)


class Names:
    """Unambiguous names for the objects of one graph."""

    def __init__(self, graph: SampleGraph) -> None:
        self._visual = graph.visual
        self.depicted = tuple(triplet for triplet in graph.visual if triplet.subject == IMAGE)
        """The triplets that place an object in the image."""
        self._entities = {triplet.object.key: triplet.object for triplet in self.depicted}

    def is_many(self, entity: Entity) -> bool:
        """Return True if an entity stands for several objects."""
        counted = any(
            triplet.object.name in words("numbers") - {"one"} for triplet in self._visual if triplet.subject == entity
        )
        return counted or is_plural(entity.name.lower()) or self._is_said_of_many(entity)

    def _is_said_of_many(self, entity: Entity) -> bool:
        name = entity.name.lower()
        texts = (triplet.evidence.lower() for triplet in self.depicted if triplet.object == entity)
        return any(_has_word(text, plural(name)) and not _has_word(text, name) for text in texts)

    def chain(self, path: Sequence[Triplet]) -> tuple[str, str]:
        """Build the words before the question, and the phrase for the end of a path (the man in this image).

        With two edges, the first one identifies the end: in this image, the horse that the man is riding.
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
        """Return True if a relation connects its subject to only one object with this name."""
        same = (
            other for other in self._visual if (other.subject, other.relation) == (triplet.subject, triplet.relation)
        )
        return not any(other.object != triplet.object and other.object.name == triplet.object.name for other in same)

    def _noun(self, entity: Entity) -> str:
        name = entity.name.lower()
        return plural(name) if self.is_many(entity) else name

    def the(self, entity: Entity) -> str:
        """Build "the" with the name, and an attribute if the name is shared; empty if no attribute helps."""
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
        """List the names of the other objects that answer a question by this relation, and kind if any."""
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


MATERIAL = {"material", "made of"}
# Words that cannot end a predicate; alone they are no predicate, like any other single word.
_EMPTY = {"has", "for", "from", "by", "is", "as", "like", "about", "and", "with"}


def is_predicate(triplet: Triplet) -> bool:
    """Return True if "is" and a relation form a predicate: a preposition, a gerund, or a participle with a preposition.

    A gerund that describes an action of living beings needs such a subject.
    """
    relation = triplet.relation
    first, *rest = relation.split()
    if relation in words("still actions") or (rest and rest[-1] in _EMPTY):
        return False
    if relation in words("positions"):
        return True
    if first.endswith("ing"):
        return (
            first in words("still actions")
            if rest and not is_animate(triplet.subject)
            else bool(rest) or is_animate(triplet.subject)
        )
    return (
        bool(rest)
        and first.endswith(("ed", "en", "ung", "own", "ilt", "ade"))
        and rest[-1] in words("positions") | {"to", "of"}
    )


def is_near(relation: str) -> bool:
    """Return True if a relation ends in a preposition of nearness."""
    return f" {relation}".endswith(tuple(f" {near}" for near in words("nearness")))


class PathQuestion(NamedTuple):
    """The question for a path in several wordings, and the reference to its answer for further hops."""

    texts: tuple[str, ...]
    reference: Reference
    pattern: str


def ask(names: Names, path: Sequence[Triplet]) -> PathQuestion:
    """Build the question that the end of a path from IMAGE answers; the path must pass ``checks.path``."""
    last, kind = path[-1], kind_of(path[-1].object)
    front, subject = names.chain(path[:-1])
    verb = "are" if names.is_many(last.subject) else "is"
    bare = subject.removesuffix(" in this image")
    clause, noun, pattern = f"{bare} {verb} {last.relation}", kind or "thing", "object"
    texts = [f"{front}what{f' {kind}' if kind else ''} {verb} {subject} {last.relation}"]
    if last.relation in MATERIAL:
        clause, noun, pattern = f"{bare} {verb} made of", "material", "material"
        texts = [f"{front}{what} {verb} {subject} made of" for what in ("what material", "what")]
    reference = Reference((Phrase(f"the {noun} that {clause}"),), "path")
    return PathQuestion(tuple(map(sentence, texts)), reference, pattern)
