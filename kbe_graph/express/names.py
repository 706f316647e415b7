"""What the things of one picture can be called, so that each phrase means one of them."""

from collections.abc import Iterator, Sequence

from kbe_graph.errors import NoCandidate
from kbe_graph.express.kinds import may_be
from kbe_graph.express.seen import worded
from kbe_graph.lexicon.inflect import is_plural, plural
from kbe_graph.lexicon.words import words
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, SampleGraph, Triplet


class Names:
    """What the things of one graph can be called, so that each phrase means one of them."""

    def __init__(self, graph: SampleGraph) -> None:
        self._visual = graph.visual
        self._entities = {triplet.object.key: triplet.object for triplet in graph.visual if triplet.subject == IMAGE}

    def is_many(self, entity: Entity) -> bool:
        """Return whether an entity stands for several things."""
        counted = any(one.object.name in words("numbers") - {"one"} for one in self._visual if one.subject == entity)
        return counted or is_plural(entity.name.lower())

    def chain(self, path: Sequence[Triplet]) -> tuple[str, str]:
        """Return what stands in front of the question, and the phrase for the end of a path (the man in this image).

        The end of two edges is named by the first: in this image, the horse that the man is riding.
        """
        if len(path) == 1:
            return "", f"{self.the(path[0].object)} in this image"
        return "in this image, ", self._held(path[-1], self.the(path[0].object))

    def _held(self, triplet: Triplet, subject: str) -> str:
        if not worded(triplet):
            raise NoCandidate("relation says too little", repr(triplet.relation))
        self._alone(triplet)
        noun, relation = self._noun(triplet.object), triplet.relation
        if " " in relation or not relation.endswith("ing"):
            raise NoCandidate("path too long", "its end cannot be named in few words")
        return f"the {noun} that {subject} {'are' if self.is_many(triplet.subject) else 'is'} {relation}"

    def _alone(self, triplet: Triplet) -> None:
        same = [one for one in self._visual if (one.subject, one.relation) == (triplet.subject, triplet.relation)]
        if any(one.object != triplet.object and one.object.name == triplet.object.name for one in same):
            raise NoCandidate("names are not unique", triplet.object.name)

    def _noun(self, entity: Entity) -> str:
        name = entity.name.lower()
        return plural(name) if self.is_many(entity) else name

    def the(self, entity: Entity) -> str:
        """Return "the" and the name, with an attribute where another thing has the name; raises NoCandidate."""
        others = [one for one in self._entities.values() if fold(one.name) == fold(entity.name) and one != entity]
        if not others:
            return f"the {self._noun(entity)}"
        taken = {said for other in others for said in self._attributes(other)}
        own = [said for said in self._attributes(entity) if said not in taken]
        if not own:
            raise NoCandidate("names are not unique", entity.name)
        return f"the {own[0]} {self._noun(entity)}"

    def _attributes(self, entity: Entity) -> Iterator[str]:
        found = (one.object.name for one in self._visual if one.subject == entity and one.object.name.islower())
        yield from (
            said for said in found if said not in words("numbers") and " " not in said and not said.endswith("ing")
        )

    def only(self, asked: Triplet, kind: str) -> None:
        """Raise NoCandidate where another thing answers the question as well."""
        others = [
            one.object
            for one in self._visual
            if (one.subject, fold(one.relation)) == (asked.subject, fold(asked.relation))
            and fold(one.object.name) != fold(asked.object.name)
        ]
        if any(not kind or may_be(other, kind) for other in others):
            raise NoCandidate("several answers", ", ".join(sorted({other.name for other in others})))
