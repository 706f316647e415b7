"""What makes the end of a path worth asking for: annotations agree on it, alone of its kind, it says something."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile

from kbe_graph.english.concept import kinds_of, synset_of
from kbe_graph.english.frequency import frequency
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.words import words
from kbe_graph.extract.scene import related, sources_of
from kbe_graph.extract.visible import senses
from kbe_graph.files.resources import data
from kbe_graph.files.tsv import rows
from kbe_graph.text import fold
from kbe_graph.types import PRESUPPOSED, Entity, Triplet
from kbe_graph.wording.kind import is_the_kind, kind_of, may_be, sense_of
from kbe_graph.wording.names import Names
from kbe_graph.wording.seen import is_near

Path = Sequence[Triplet]

# Sources that machines or the words of people make, each by itself not sure of a thing: one must confirm the other.
_SAID, _DETECTED = {"caption", "caption words"}, {"detection"}
# By these kinds a thing is asked for that is only known to be in the picture.
ALONE = {"animal", "vehicle", "musical instrument", "fruit", "vegetable", "sport"}


def unconfirmed(names: Names, path: Path) -> str | None:
    """Return a thing of the path that captions show and detections do not, or the other way round, if there are both.

    A thing is confirmed by its own name, a synonym, a kind of it, or what it is a kind of. A detector's word alone is
    believed of what is often seen in pictures: a rare thing, such as a submarine, is oftener a mistake. Of a sport
    extraction has seen to that.
    """
    sources = {source for triplet in names.depicted for source in sources_of(triplet)}
    if sources & _SAID and sources & _DETECTED:
        return next((entity.name for entity in _things(path) if not _is_agreed(names, entity)), None)
    if not sources <= _DETECTED | {PRESUPPOSED}:
        return None
    return next((entity.name for entity in _things(path) if fold(entity.name) not in often_shown()), None)


def _is_believed(triplet: Triplet) -> bool:
    """Return whether a thing is shown by more than the word of a detector, or is often seen in pictures."""
    return bool(set(sources_of(triplet)) - _DETECTED) or fold(triplet.object.name) in often_shown()


@cache
def often_shown() -> frozenset[str]:
    """Return the names of animals, vehicles and the like that captions of pictures say more than once."""
    return frozenset(name for _, (name,) in rows(data("shown.tsv"), ("name",)))


def _things(path: Path) -> Iterator[Entity]:
    things = (triplet.object for triplet in path if triplet.object.name.isupper())
    yield from (thing for thing in things if kind_of(thing) != "sport")


def _is_agreed(names: Names, entity: Entity) -> bool:
    name = entity.name.lower()
    wide = words("general") - {"person"}  # an animal that is detected may be any, a person is one
    near = [
        triplet
        for triplet in names.depicted
        if triplet.object == entity
        or (fold(triplet.object.name) not in wide and related(name, triplet.object.name.lower()))
    ]
    sources = {source for triplet in near for source in sources_of(triplet)}
    return bool(sources - _SAID - _DETECTED) or bool(sources & _SAID and sources & _DETECTED)


def says_little(entity: Entity) -> bool:
    """Return whether a thing is a word for nearly anything, or a place or furniture, of which pictures have several."""
    name = fold(entity.name)
    seen = (synset.id for synset in senses(name)[:1])
    return name in words("vague ends") or any(
        is_of_kind(sense, "visible place", "room", "furniture") for sense in (sense_of(entity), *seen)
    )


def _plainer(entity: Entity, kind: str) -> str:
    """Return a commoner word for what an end is a kind of, below the kind that is asked for: boat, for a canoe."""
    sense = synset_of(sense_of(entity))
    if sense is None:
        return ""
    own = max(frequency(name) for name in (entity.name, *sense.lemmas))
    above = [synset_of(concept) for concept in kinds_of(sense.id)[1:]]
    below = takewhile(lambda synset: not is_the_kind(synset.id, kind), filter(None, above))
    names = (name for synset in below for name in synset.lemmas[:1] if "_" not in name and " " not in name)
    return next((name for name in names if name not in words("general") and frequency(name) >= own), "")


def is_asked_on(path: Path) -> bool:
    """Return whether a path ends at a thing that is no answer, but of which more may be asked.

    Everybody says it first of its kind, or it may be of several sorts that have names of their own.
    """
    return len(path) == 1 and fold(path[-1].object.name) in words("asked on")


def not_alone(names: Names, path: Path) -> str | None:
    """Return what keeps an end from being asked for by its kind: that kind, or another thing of it that is seen.

    What is only in the picture, or near something, is asked for by its kind; what something is done to is not. A rare
    thing that a detector alone shows is no other one.
    """
    *before, last = path
    kind = kind_of(last.object)
    if kind and (unreal := names.qualities(last.object) & words("unreal")):
        return f"{min(unreal)} {last.object.name}"
    if not before and kind not in ALONE:
        return f"a {kind}" if kind else None
    if kind and kind != "sport" and not before and (name := _plainer(last.object, kind)):
        return f"rather called {name}"
    if before and not (kind and is_near(last.relation)):
        return None
    own, name = {triplet.object for triplet in path}, last.object.name.lower()
    others = (triplet.object for triplet in names.depicted if triplet.object not in own and _is_believed(triplet))
    return next((other.name for other in others if _rivals(other, kind, name)), None)


def _rivals(other: Entity, kind: str, name: str) -> bool:
    """Return whether a thing may be meant by a kind that is asked for, and is not called by its very name.

    A teddy bear may be what a bear was taken for.
    """
    if related(name, called := other.name.lower()):
        return called.endswith(f" {name}") and kind_of(other) not in {"", kind}
    if fold(other.name) == kind:
        return False
    return kind_of(other) == kind if sense_of(other) else may_be(other, kind)
