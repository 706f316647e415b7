"""The scene of a sample: everything its annotations show, each thing once, and the visual graph of it (KBE, section 3.2).

The first thing of a name in one annotation is taken to be the first of that name in every other, the largest coming
first; so two dogs of a scene graph stay two, and the dog of a caption is the larger.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from kbe_graph.extract.attribute import attribute_relation, is_attribute_noun
from kbe_graph.extract.captions import read_caption
from kbe_graph.extract.kinds import senses
from kbe_graph.extract.name import same_name
from kbe_graph.extract.view import SOURCES, Source, Thing, View
from kbe_graph.lexicon.frequency import frequency
from kbe_graph.lexicon.inflect import singular
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.lexicon.words import words
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Triplet

DEPICTS = "depicts"
# Left and right of an observer say little of what is seen, and GQA gives them for almost every pair.
_SIDES = {"to the left of", "to the right of"}


@dataclass(slots=True)
class Seen:
    """A thing of the scene: its entity, the sources that show it, its place in their order, its size in pixels."""

    entity: Entity
    sources: dict[Source, None]
    place: int
    area: float = 0.0

    @property
    def name(self) -> str:
        """The name in small letters."""
        return self.entity.name.lower()


@dataclass(frozen=True, slots=True)
class Scene:
    """The things, the most salient first, and the visual triplets."""

    things: tuple[Seen, ...]
    visual: tuple[Triplet, ...]

    def links(self, subject: Entity) -> tuple[Triplet, ...]:
        """Return the visual triplets that begin at an entity."""
        return tuple(triplet for triplet in self.visual if triplet.subject == subject)

    def find(self, name: str) -> Entity | None:
        """Return the most salient thing of a name, in singular or plural."""
        return next((seen.entity for seen in self.things if same_name(seen.name, name)), None)

    def depicts(self, entity: Entity) -> Triplet:
        """Return the triplet that says that an entity is in the image."""
        return next(triplet for triplet in self.links(IMAGE) if triplet.object == entity)


@dataclass(slots=True)
class _Draft:
    names: dict[str, str]
    sides: bool
    seen: dict[str, Seen] = field(default_factory=dict)
    triplets: dict[str, Triplet] = field(default_factory=dict)

    def add(self, triplet: Triplet) -> None:
        self.triplets.setdefault(triplet.id, triplet)

    def view(self, view: View) -> None:
        """Add what one annotation shows."""
        shown = [thing for thing in view.things if fold(thing.name) not in words("no things")]
        found = {thing.id: self._seen(thing, number, view) for thing, number in self._numbered(shown)}
        for link in view.links:
            relation = fold(link.relation)
            if not {link.subject, link.object} <= set(found):
                continue
            ends = found[link.subject].entity, found[link.object].entity
            if ends[0] != ends[1] and (self.sides or relation not in _SIDES):
                self.add(_triplet(ends[0], relation, ends[1], view))
        for thing in shown:
            self._attributes(found[thing.id].entity, thing, view)

    def _numbered(self, things: Sequence[Thing]) -> Iterator[tuple[Thing, int]]:
        counts: dict[str, int] = {}
        for thing in sorted(things, key=lambda thing: (-thing.area, things.index(thing))):
            name = self._name(thing.name)
            counts[name] = counts.get(name, 0) + 1
            yield thing, counts[name]

    def _name(self, name: str) -> str:
        """Return what a thing is called here: as the answer says, or by a synonym that was met before (racquet, racket)."""
        return self.names.setdefault(_meaning(name), fold(singular(fold(name))))

    def _seen(self, thing: Thing, number: int, view: View) -> Seen:
        name = self._name(thing.name)
        entity = Entity(name.upper(), number + (name == "image"))
        new = Seen(entity, {}, len(self.seen))
        seen = self.seen.setdefault(entity.key, new)
        seen.sources[view.source] = None
        seen.area = max(seen.area, thing.area)
        self.add(_triplet(IMAGE, DEPICTS, seen.entity, view, thing.name))
        return seen

    def _attributes(self, entity: Entity, thing: Thing, view: View) -> None:
        for value in thing.attributes:
            name = fold(value)
            if name not in {seen.split("#")[0] for seen in self.seen}:
                relation = attribute_relation(value)
                quality = Entity(name, noun=is_attribute_noun(value, relation))
                self.add(_triplet(entity, relation, quality, view, f"{value} {thing.name}"))


def read_scene(views: Sequence[View], *, answer: str = "", sides: bool = False) -> Scene:
    """Return the scene that annotations show, captions parsed.

    A thing that is named by the answer, or by a synonym of it, is called as the answer says; ``sides`` keeps what is only
    to the left or right of something.
    """
    draft = _Draft({_meaning(answer): answer.strip().lower()} if answer else {}, sides)
    for view in views:
        draft.view(read_caption(view) if view.source == "caption" else view)
    things = tuple(draft.seen.values())
    return Scene(tuple(sorted(things, key=lambda seen: _salience(seen, things))), tuple(draft.triplets.values()))


@cache
def _meaning(name: str) -> str:
    """Return what makes two names one: the first sense that can be seen, else the singular."""
    base = fold(singular(fold(name)))
    found = senses(base) if wordnet().knows(base) else ()
    return found[0].id if found else base


def _salience(seen: Seen, things: Sequence[Seen]) -> tuple[bool, int, float, bool, int, int, int]:
    """Return the key to sort things by.

    Shown by several sources; by people; large; of the 80 categories that COCO's photos were chosen for (Lin et al. 2014,
    section 3.1), on which most benchmarks stand; by several labels; a common word (basic level: Rosch et al. 1976); named early.
    """
    near = [other for other in things if other is not seen and related(seen.name, other.name)]
    agreed = len({source for one in (seen, *near) for source in one.sources}) > 1
    best = min(SOURCES.index(source) for source in seen.sources)
    common = seen.name in words("coco categories")
    return not agreed, best, -seen.area, not common, -len(near), -frequency(seen.name), seen.place


@cache
def related(name: str, other: str) -> bool:
    """Return whether two names share their last word, or one is a kind of the other."""
    if name.rsplit(" ", 1)[-1] == other.rsplit(" ", 1)[-1]:
        return True
    pairs = [(one.id, two.id) for one in senses(name)[:2] for two in senses(other)[:2]]
    return any(wordnet().is_a(one, two) or wordnet().is_a(two, one) for one, two in pairs)


def _triplet(subject: Entity, relation: str, object_: Entity, view: View, said: str = "") -> Triplet:
    evidence = view.evidence or said or f"{subject.name} {relation} {object_.name}".lower()
    return Triplet(subject, relation, object_, "visual", view.source, view.ref, evidence)
