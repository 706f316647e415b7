"""The anchor: the visible entity that a question is about.

It is found by name, by synonym, by a kind it belongs to (a giraffe for "this animal"), or as the most salient entity if
the question only points (this, it). If several fit, the most salient one is the anchor, and all of them are listed.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.extract.scene import Scene, SceneThing
from kbe_graph.extract.visible import Kind, is_a, is_thing, senses
from kbe_graph.question import Reading
from kbe_graph.question.phrase import ASKING, NounPhrase
from kbe_graph.types import LAST_RESORT, UNCONFIRMED, Entity

How = Literal["name", "synonym", "hypernym", "field", "hyponym", "relation", "salient", "presupposed", "scene"]

# Kinds whose nouns are not hypernyms of (all) their members in WordNet: this sport, this meal, he.
_FIELDS: tuple[Kind, ...] = ("sport", "food", "vehicle", "device", "toy", "place", "person")
# An exact name comes first; but "this animal", unless its kind is asked for, is more likely the giraffe.
_RANKS: dict[How, int] = {"name": 0, "synonym": 0, "hypernym": 1, "field": 1, "hyponym": 2}
_GENERAL: dict[How, int] = {"name": 1, "synonym": 1, "hypernym": 1, "field": 1, "hyponym": 2}


class Anchor(NamedTuple):
    """The entity that a question is about, how it was found, by which words, and all that fit, itself first."""

    entity: Entity
    how: How
    words: str
    fitting: tuple[Entity, ...]

    @property
    def evidence(self) -> str:
        """How the anchor was found, in words."""
        if self.how == "scene":
            return f"{self.words!r} is asked of the whole picture"
        if self.how == "presupposed":
            names = ", ".join(dict.fromkeys(entity.name.lower() for entity in self.fitting))
            return f"presupposed as {self.words!r}; " + (f"confirmed by {names}" if names else UNCONFIRMED)
        if self.how == "salient":
            return f"{LAST_RESORT}, asked about as {self.words!r}"
        rivals = f", the most salient of {len(self.fitting)}" if len(self.fitting) > 1 else ""
        return f"asked about as {self.words!r} ({self.how}{rivals})"


def find_anchors(reading: Reading, scene: Scene) -> Iterator[Anchor]:
    """Yield the entities of a scene that a question may be about, best first; none if it is about nothing visible."""
    head = next((phrase for phrase in reading.anchors if reading.of_head and phrase.name == reading.head), None)
    if head:
        yield from _fitting(head, reading, scene, only_named=True)
    for phrase in reading.anchors:
        if phrase is not head or reading.identity:
            yield from _by_phrase(phrase, reading, scene)
    if reading.deictic and not _is_missed(reading, scene):
        yield from _by_pointing(reading, scene)
    if head:
        yield from _by_phrase(head, reading, scene)


def entities_of(phrase: NounPhrase, scene: Scene) -> tuple[Entity, ...]:
    """Find the entities that a phrase names, most salient first."""
    return tuple(seen.entity for seen in scene.things if _how(seen, phrase) in ("name", "synonym"))


def _is_missed(reading: Reading, scene: Scene) -> bool:
    if set(reading.pronouns) - words("picture words"):
        return False
    near = [phrase for phrase in reading.anchors if phrase.determiner and phrase.determiner not in ASKING]
    return any(is_thing(phrase.name) and not any(_fitting(phrase, reading, scene)) for phrase in near[:1])


def _by_phrase(phrase: NounPhrase, reading: Reading, scene: Scene) -> Iterator[Anchor]:
    yield from _fitting(phrase, reading, scene)
    if phrase.head in words("anything") and (phrase.pointing or phrase.determiner == "the" or reading.identity):
        yield from _by_relation(reading, scene)
        yield from _by_pointing(reading, scene)


def _fitting(phrase: NounPhrase, reading: Reading, scene: Scene, *, only_named: bool = False) -> Iterator[Anchor]:
    fields = tuple(
        kind
        for kind in _FIELDS
        if {phrase.name, phrase.head} & words(f"{kind} words") and (reading.identity or phrase.determiner not in ASKING)
    )
    fitting = [(how, seen) for seen in scene.things if (how := _how(seen, phrase, fields))]
    if only_named:
        fitting = [(how, seen) for how, seen in fitting if how in ("name", "synonym")]
    ranks = _GENERAL if phrase.head in words("general") and not reading.identity else _RANKS
    ranked = sorted(fitting, key=lambda pair: (pair[1].name != phrase.name or " " not in phrase.name, ranks[pair[0]]))
    if ranked:
        best = [seen.entity for how, seen in ranked if ranks[how] == ranks[ranked[0][0]]]
        yield Anchor(best[0], ranked[0][0], phrase.name, tuple(best))


def _how(seen: SceneThing, phrase: NounPhrase, fields: tuple[Kind, ...] = ()) -> How | None:
    if seen.name in (phrase.name, phrase.head) or seen.name.endswith(f" {phrase.head}"):
        return "name"
    if _same(seen.name, phrase.name) or _same(seen.name, phrase.head):
        return "synonym"
    if phrase.head in words("anything"):
        return None
    if phrase.name not in words("compounds") and _is_below(seen.name, phrase.name):
        return "hypernym"
    if any(is_a(seen.name, kind) for kind in fields):
        return "field"
    is_kind = is_thing(phrase.name) and _is_below(phrase.name, seen.name) and _is_alike(seen.name, phrase.head)
    return "hyponym" if is_kind else None


@lru_cache(1 << 15)
def _same(name: str, other: str) -> bool:
    first, second = senses(name)[:1], senses(other)[:1]
    return first == second and wordnet().knows(name) and wordnet().knows(other)


@lru_cache(1 << 15)
def _is_below(name: str, above: str) -> bool:
    """Return True if a name is a kind of the other (giraffe of animal), in the first two senses of the latter."""
    ids = [synset.id for synset in wordnet().lookup(above).synsets[:2]]
    first, others = senses(name)[:1], senses(name)[1:4]
    eaten = ("noun.food", "noun.plant")  # a root, a plant and a fruit may share a name
    likely = [
        *first,
        *(
            sense
            for at, sense in enumerate(others)
            if sense.lexname in eaten or (at == 0 and sense.lexname != "noun.person")
        ),
    ]
    return any(wordnet().is_a(sense.id, id_) for sense in likely for id_ in ids)


def _is_alike(name: str, head: str) -> bool:
    return is_a(name, "person") == is_a(head, "person")


def _by_relation(reading: Reading, scene: Scene) -> Iterator[Anchor]:
    others = {entity for phrase in reading.anchors for entity in entities_of(phrase, scene)}
    for triplet in scene.visual:
        verb = wordnet().morphy(triplet.relation.split()[0], "v")
        if triplet.subject in others and verb in reading.verbs and triplet.object.name.isupper():
            deed = f"{triplet.subject.name.lower()} {triplet.relation}"
            yield Anchor(triplet.object, "relation", deed, (triplet.object,))


def _by_pointing(reading: Reading, scene: Scene) -> Iterator[Anchor]:
    others = {entity for phrase in reading.anchors for entity in entities_of(phrase, scene)}
    ranked = sorted(scene.things, key=lambda seen: _rank(seen, reading))
    entities = tuple(seen.entity for seen in ranked if seen.entity not in others)
    if entities:
        yield Anchor(entities[0], "salient", next(iter(reading.pronouns), "this"), entities)


def _rank(seen: SceneThing, reading: Reading) -> tuple[bool, bool]:
    is_person, is_place = is_a(seen.name, "person"), is_a(seen.name, "place")
    if set(reading.pronouns) & words("person words"):
        return not is_person, is_place
    if reading.property in ("location", "taken in"):
        return not is_place, is_person
    made = reading.property.split()[0] in ("made", "used", "material", "invented", "created")
    unlikely = is_a(seen.name, "body") or is_a(seen.name, "clothing") or (made and is_a(seen.name, "animal"))
    return is_person or is_place or unlikely, is_place
