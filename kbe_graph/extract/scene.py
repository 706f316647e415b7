"""The scene of a sample: every entity that its annotations show, and the visual graph (KBE, section 3.2).

Entities of one name are matched across annotations in order of size: the first in one annotation is the first in every
other. So two dogs of a scene graph remain two, and the dog of a caption is the larger one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from kbe_graph.datasets.view import Thing, View, rank
from kbe_graph.english.inflect import singular
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import frequency, words
from kbe_graph.extract.captions import read_caption, same_name, senses
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Triplet

AttributeRelation = Literal["color", "count", "material", "attribute"]

_WOODEN = {"wooden", "metallic", "woolen", "woollen"}


@lru_cache(1 << 14)
def attribute_relation(value: str) -> AttributeRelation:
    """Choose the relation of an attribute: color, count, material, or the general one."""
    parts = [word for word in fold(value).split() if word not in ("and", "light", "dark", "bright", "pale")]
    if parts and all(part in ("black", "white") or wordnet().is_colour(part) for part in parts):
        return "color"
    if value.isdecimal() or (parts and all(part in words("numbers") for part in parts)):
        return "count"
    synsets = wordnet().lookup(value).synsets
    is_substance = bool(synsets) and synsets[0].lexname == "noun.substance" and _is_noun(value)
    return "material" if is_substance or value in _WOODEN else "attribute"


def is_attribute_noun(value: str, relation: AttributeRelation) -> bool:
    """Return True if an attribute is a noun, so that a path may end in it: the material wood, but not wooden or red."""
    return relation in ("material", "attribute") and _is_noun(value)


@lru_cache(1 << 14)
def _is_noun(value: str) -> bool:
    counts = wordnet().counts(fold(value))
    return "n" in counts and counts["n"] >= max((counts.get(part, 0) for part in "var"), default=0)


DEPICTS = "depicts"
# Left and right say little about the content of an image, and GQA has them for almost every pair.
_SIDES = {"to the left of", "to the right of"}
_AND = ", "


@dataclass(slots=True)
class SceneThing:
    """An entity of the scene, with the sources that show it, its position in their order and its size in pixels.

    ``name`` is the entity's name in lower case.
    """

    entity: Entity
    sources: dict[str, None]
    place: int
    area: float = 0.0
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.entity.name.lower()


@dataclass(frozen=True, slots=True)
class Scene:
    """The entities, most salient first, and the visual triplets."""

    things: tuple[SceneThing, ...]
    visual: tuple[Triplet, ...]

    def links(self, subject: Entity) -> tuple[Triplet, ...]:
        """List the visual triplets that begin at an entity."""
        return tuple(triplet for triplet in self.visual if triplet.subject == subject)

    def find(self, name: str) -> Entity | None:
        """Find the most salient entity with a name, ignoring number."""
        return next((seen.entity for seen in self.things if same_name(seen.name, name)), None)

    def depicts(self, entity: Entity) -> Triplet:
        """Get the triplet that places an entity in the image."""
        return next(triplet for triplet in self.links(IMAGE) if triplet.object == entity)


@dataclass(slots=True)
class _Draft:
    names: dict[str, str]
    sides: bool
    seen: dict[str, SceneThing] = field(default_factory=dict)
    triplets: dict[str, Triplet] = field(default_factory=dict)

    def add(self, triplet: Triplet) -> None:
        """Add a triplet; if another source showed it already, both are recorded as its source."""
        seen = self.triplets.setdefault(triplet.id, triplet)
        if triplet.source not in sources_of(seen):
            self.triplets[triplet.id] = replace(seen, source=source_of((seen.source, triplet.source)))

    def view(self, view: View) -> None:
        """Add the entities and links of one annotation."""
        shown = [thing for thing in view.things if fold(thing.name) not in words("no things")]
        seen = {thing.id: self._scene_thing(thing, number, view) for thing, number in self._numbered(shown)}
        for link in view.links:
            relation = fold(link.relation)
            if not {link.subject, link.object} <= set(seen):
                continue
            ends = seen[link.subject].entity, seen[link.object].entity
            if ends[0] != ends[1] and (self.sides or relation not in _SIDES):
                self.add(_triplet(ends[0], relation, ends[1], view))
        for thing in shown:
            self._attributes(seen[thing.id].entity, thing, view)

    def _numbered(self, things: Sequence[Thing]) -> Iterator[tuple[Thing, int]]:
        counts: dict[str, int] = {}
        for thing in sorted(things, key=lambda thing: (-thing.area, things.index(thing))):
            name = self._name(thing.name)
            counts[name] = counts.get(name, 0) + 1
            yield thing, counts[name]

    def _name(self, name: str) -> str:
        return self.names.setdefault(_meaning(name), fold(singular(fold(name))))

    def _scene_thing(self, thing: Thing, number: int, view: View) -> SceneThing:
        name = self._name(thing.name)
        entity = Entity(name.upper(), number + (name == "image"))
        new = SceneThing(entity, {}, len(self.seen))
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


def sources_of(triplet: Triplet) -> tuple[str, ...]:
    """Split the sources of a triplet: a horse named by both caption and detections has two."""
    return tuple(triplet.source.split(_AND))


def source_of(sources: Iterable[str]) -> str:
    """Join several sources into the source of a triplet, as read by ``sources_of``."""
    return _AND.join(sources)


def read_scene(views: Sequence[View], *, answer: str = "", sides: bool = False) -> Scene:
    """Build the scene that annotations show, parsing captions.

    An entity named by the answer or a synonym takes the answer's name. ``sides`` keeps links that only say left or
    right.
    """
    draft = _Draft({_meaning(answer): answer.strip().lower()} if answer else {}, sides)
    for view in views:
        draft.view(read_caption(view) if view.source == "caption" else view)
    things = tuple(draft.seen.values())
    return Scene(tuple(sorted(things, key=lambda seen: _salience(seen, things))), tuple(draft.triplets.values()))


@lru_cache(1 << 14)
def _meaning(name: str) -> str:
    """Get the key by which names are merged: the first visible sense, else the singular."""
    base = fold(singular(fold(name)))
    synsets = senses(base) if wordnet().knows(base) else ()
    return synsets[0].id if synsets else base


def _salience(seen: SceneThing, things: Sequence[SceneThing]) -> tuple[bool, int, float, bool, int, int, int]:
    """Compute the sort key of an entity.

    First come entities that several sources show, then those that people name, large ones, those of the 80 categories
    that COCO's photos were chosen for (Lin et al. 2014, section 3.1), on which most benchmarks are based, those with
    several labels, common words (basic level: Rosch et al. 1976), and those named early.
    """
    near = [other for other in things if other is not seen and related(seen.name, other.name)]
    agreed = len({source for thing in (seen, *near) for source in thing.sources}) > 1
    best = min(map(rank, seen.sources))
    common = seen.name in words("coco categories")
    return not agreed, best, -seen.area, not common, -len(near), -frequency(seen.name), seen.place


class _Kinship(NamedTuple):
    """The last word of a name, the ids of its first senses, and these ids with all their hypernyms."""

    last: str
    ids: frozenset[str]
    above: frozenset[str]


def related(name: str, other: str) -> bool:
    """Return True if two names share their last word, or one is a kind of the other."""
    first, second = _kinship(name), _kinship(other)
    return first.last == second.last or not (first.ids.isdisjoint(second.above) and second.ids.isdisjoint(first.above))


@lru_cache(1 << 14)
def _kinship(name: str) -> _Kinship:
    ids = frozenset(synset.id for synset in senses(name)[:2])
    return _Kinship(name.rsplit(" ", 1)[-1], ids, ids.union(*map(wordnet().hypernyms, ids)))


def _triplet(subject: Entity, relation: str, object_: Entity, view: View, words: str = "") -> Triplet:
    evidence = view.evidence or words or f"{subject.name} {relation} {object_.name}".lower()
    return Triplet(subject, relation, object_, "visual", view.source, view.ref, evidence)
