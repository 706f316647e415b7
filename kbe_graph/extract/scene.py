"""The scene of a sample: all that its annotations show, each thing once, and its visual graph (KBE, section 3.2).

The first thing of a name in one annotation is taken to be the first of that name in every other, the largest coming
first; so two dogs of a scene graph stay two, and the dog of a caption is the larger.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from kbe_graph.datasets.view import Thing, View, rank
from kbe_graph.english.number import singular
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import frequency, words
from kbe_graph.extract.captions import read_caption, same_name
from kbe_graph.extract.visible import senses
from kbe_graph.files.resources import data, rows
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Triplet

AttributeRelation = Literal["color", "count", "material", "attribute"]

_WOODEN = {"wooden", "metallic", "woolen", "woollen"}


@lru_cache(1 << 14)
def attribute_relation(value: str) -> AttributeRelation:
    """Return the relation of an attribute: color, number, material, or the general one."""
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
# Left and right of an observer say little of what is seen, and GQA gives them for almost every pair.
_SIDES = {"to the left of", "to the right of"}
_AND = ", "


@dataclass(slots=True)
class SceneThing:
    """A thing of the scene: its entity, the sources that show it, its place in their order, its size in pixels.

    ``name`` is that of the entity in small letters.
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
    """The things, the most salient first, and the visual triplets."""

    things: tuple[SceneThing, ...]
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
    seen: dict[str, SceneThing] = field(default_factory=dict)
    triplets: dict[str, Triplet] = field(default_factory=dict)

    def add(self, triplet: Triplet) -> None:
        """Add a triplet; of one that another source showed before, the source names both."""
        seen = self.triplets.setdefault(triplet.id, triplet)
        if triplet.source not in sources_of(seen):
            self.triplets[triplet.id] = replace(seen, source=source_of((seen.source, triplet.source)))

    def view(self, view: View) -> None:
        """Add the things and links of one annotation."""
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
        """Return the name of a thing in this scene: as in the answer, or by an earlier synonym (racquet, racket)."""
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
    """Return the sources that show a triplet: a horse that both caption and detections name has two."""
    return tuple(triplet.source.split(_AND))


def source_of(sources: Iterable[str]) -> str:
    """Return the source of a triplet that several show, as ``sources_of`` reads it."""
    return _AND.join(sources)


def read_scene(views: Sequence[View], *, answer: str = "", sides: bool = False) -> Scene:
    """Return the scene that annotations show, captions parsed.

    A thing that is named by the answer, or by a synonym of it, is called as the answer says; ``sides`` keeps links that
    only say left or right.
    """
    draft = _Draft({_meaning(answer): answer.strip().lower()} if answer else {}, sides)
    for view in views:
        draft.view(read_caption(view) if view.source == "caption" else view)
    things = tuple(draft.seen.values())
    return Scene(tuple(sorted(things, key=lambda seen: _salience(seen, things))), tuple(draft.triplets.values()))


@lru_cache(1 << 14)
def _meaning(name: str) -> str:
    """Return the meaning that makes two names one: the first visible sense, else the singular."""
    base = fold(singular(fold(name)))
    synsets = senses(base) if wordnet().knows(base) else ()
    return synsets[0].id if synsets else base


def _salience(seen: SceneThing, things: Sequence[SceneThing]) -> tuple[bool, int, float, bool, int, int, int]:
    """Return the key to sort things by.

    Shown by several sources; by people; large; of the 80 categories that COCO's photos were chosen for (Lin et al.
    2014, section 3.1), on which most benchmarks stand; by several labels; a common word (basic level: Rosch et al.
    1976); named early.
    """
    near = [other for other in things if other is not seen and related(seen.name, other.name)]
    agreed = len({source for thing in (seen, *near) for source in thing.sources}) > 1
    best = min(map(rank, seen.sources))
    common = seen.name in words("coco categories")
    return not agreed, best, -seen.area, not common, -len(near), -frequency(seen.name), seen.place


class _Kinship(NamedTuple):
    """The last word of a name, the ids of its first senses, and these with all that is above them."""

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


SPORT = "sport"
_COLUMNS = ("thing", "sport", "concept")


def sport_triplet(scene: Scene) -> Triplet | None:
    """Return the triplet that says which sport a scene shows, with the sources of its signs; None for none or two.

    A sport is told by a caption or by one of the 80 categories of COCO, which detectors know best; where there are both
    captions and detections, by both.
    """
    sports = list(_sports_told(scene.links(IMAGE)))
    return sports[0] if len(sports) == 1 else None


def _sports_told(depicted: tuple[Triplet, ...]) -> Iterator[Triplet]:
    needed = {source for triplet in depicted for source in sources_of(triplet)} & {"caption", "detection"}
    for sport in dict.fromkeys(_sports().values()):
        telling = [triplet for triplet in depicted if _sports().get(fold(triplet.object.name)) == sport]
        sources = dict.fromkeys(source for triplet in telling for source in sources_of(triplet))
        if needed <= set(sources) and (sure := next(filter(_is_sure, telling), None)):
            yield replace(sure, object=sport, source=source_of(sources))


def _is_sure(triplet: Triplet) -> bool:
    return set(sources_of(triplet)) != {"detection"} or fold(triplet.object.name) in words("coco categories")


@cache
def _sports() -> Mapping[str, Entity]:
    """Return the sports by the names of their signs."""
    table = rows(data("sports.tsv"), _COLUMNS)
    return {thing: Entity(sport.upper(), concept=concept) for _, (thing, sport, concept) in table}
