"""The topic of a question: the entity that its key path goes through (KBE, section 3.2).

An entity that the question names is the one in the annotations, if they show it. Otherwise the question presupposes it:
"what mountain range is this" implies that there is one. A question about the whole image, such as its season, is about
the scene. The most salient entity is the last resort.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple

from kbe_graph.english.parse import Word
from kbe_graph.english.phrase import ASKING, POINTING, NounPhrase, low_at, named_nouns
from kbe_graph.english.property import KIND
from kbe_graph.english.reading import Reading
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.extract.captions import Kind, is_a, is_seen, is_thing, senses
from kbe_graph.extract.scene import Scene, SceneThing, related
from kbe_graph.types import LAST_RESORT, UNCONFIRMED, Entity

How = Literal["name", "synonym", "hypernym", "field", "hyponym", "salient", "presupposed", "scene"]

# Kinds whose nouns are not hypernyms of (all) their members in WordNet: this sport, this meal, he.
_FIELDS: tuple[Kind, ...] = ("sport", "food", "vehicle", "device", "toy", "place", "person")
# An exact name comes first; but "this animal" is more likely the giraffe.
_RANKS: dict[How, int] = {"name": 0, "synonym": 0, "hypernym": 1, "field": 1, "hyponym": 2}
_GENERAL = {**_RANKS, "name": 1, "synonym": 1}


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
    if reading.deictic:
        yield from _by_pointing(reading, scene)
    if head:
        yield from _by_phrase(head, reading, scene)


def entities_of(phrase: NounPhrase, scene: Scene) -> tuple[Entity, ...]:
    """Find the entities that a phrase names, most salient first."""
    return tuple(seen.entity for seen in scene.things if _how(seen, phrase) in ("name", "synonym"))


def _by_phrase(phrase: NounPhrase, reading: Reading, scene: Scene) -> Iterator[Anchor]:
    yield from _fitting(phrase, reading, scene)
    if phrase.head in words("anything") and (phrase.pointing or phrase.determiner == "the" or reading.identity):
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
    is_kind = is_thing(phrase.name) and _is_below(phrase.name, seen.name)
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


def _by_pointing(reading: Reading, scene: Scene) -> Iterator[Anchor]:
    others = {entity for phrase in reading.anchors for entity in entities_of(phrase, scene)}
    entities = tuple(seen.entity for seen in scene.things if seen.entity not in others)
    if entities:
        yield Anchor(entities[0], "salient", next(iter(reading.pronouns), "this"), entities)


SCENE = Entity("SCENE")
_FIRM = ("name", "synonym")


def topic_of(reading: Reading, scene: Scene, anchors: Sequence[Anchor]) -> Anchor | None:
    """Determine the topic of a question: visible, presupposed or the scene; None if it is about nothing in the image.

    ``anchors`` are the entities of the scene that the question may be about.
    """
    subject, phrases = subject_of(reading), tuple(_without_verb(phrase, reading) for phrase in _phrases(reading))
    for phrase in phrases:
        if subject is None and _is_beside_pronoun(phrase, reading):
            break
        anchor = next((anchor for anchor in anchors if anchor.words == phrase.name), None)
        if anchor and _is_sure(anchor, phrase, reading, scene):
            return anchor
        if anchor or phrase == subject or _is_presupposed(phrase, reading):
            return presuppose(phrase.name, anchor.fitting if anchor else ())
    return _by_pronoun(reading, scene, anchors)


def _without_verb(phrase: NounPhrase, reading: Reading) -> NounPhrase:
    name, _, last = phrase.name.rpartition(" ")
    is_verb = wordnet().morphy(last, "v") and not wordnet().knows(phrase.name)
    lacks = not any(word.tag == "VERB" for word in reading.words) and reading.words[-2:-1] == (
        reading.words[phrase.end - 1],
    )
    return replace(phrase, name=name, head=name.rpartition(" ")[2]) if name and is_verb and lacks else phrase


def _is_beside_pronoun(phrase: NounPhrase, reading: Reading) -> bool:
    text = reading.words
    subjects = (word for word in text if word.dep in ("nsubj", "nsubjpass") and not _is_inner(text, word))
    points = any(word.low in words("deictic") | POINTING and word.tag == "PRON" for word in subjects)
    return points and not phrase.pointing and phrase is not reading.outline.head


def presuppose(name: str, confirming: Sequence[Entity] = ()) -> Anchor:
    """Build a topic that only the question's words imply, with the visible entities that confirm it."""
    return Anchor(Entity(name.upper(), 1 + (name == "image")), "presupposed", name, tuple(confirming))


def scene_topic(reading: Reading) -> Anchor | None:
    """Build the scene as the topic of a question about the whole image: what season is it, what is the weather."""
    subject = subject_of(reading)
    if reading.head:
        plain = not reading.of_head or reading.property == KIND
        points = any(phrase.pointing and phrase.seen for phrase in reading.outline.phrases)
        asked = reading.head if plain and subject is None and (reading.identity or not points) else ""
    else:
        asked = subject.name if subject and reading.property == KIND else ""
    return Anchor(SCENE, "scene", asked, (SCENE,)) if asked and _is_aspect(asked) else None


def _is_aspect(name: str) -> bool:
    return not words("scene aspects").isdisjoint((name, name.partition(" ")[0], name.rpartition(" ")[2]))


def subject_of(reading: Reading) -> NounPhrase | None:
    """Find the phrase of the question's subject; None if the subject is asked for or is anybody."""
    used = (reading.outline.asking, reading.outline.head, *named_nouns(reading.outline))
    for word in _subjects(reading):
        phrase = next((phrase for phrase in reading.outline.phrases if phrase.start <= word.at < phrase.end), None)
        anybody = phrase and not phrase.determiner and word.lemma in ("people", "someone", "person", "human")
        if phrase and phrase.seen and phrase not in used and not _is_quality(phrase) and not anybody:
            return phrase
    return None


def _subjects(reading: Reading) -> Iterator[Word]:
    text = reading.words
    yield from (word for word in text if word.dep in ("nsubj", "nsubjpass") and not _is_inner(text, word))
    exists = any(word.dep == "expl" or word.low == "who" for word in text)
    yield from (word for word in text if exists and word.dep == "attr" and word.at > word.head)
    behind = (phrase for phrase in reading.outline.phrases if phrase.determiner and phrase.start)
    yield from (text[phrase.end - 1] for phrase in behind if text[phrase.start - 1].lemma == "be")


def _is_inner(text: Sequence[Word], word: Word) -> bool:
    return bool(text) and text[word.head].dep in ("relcl", "acl", "advcl", "ccomp")


def _phrases(reading: Reading) -> Iterator[NounPhrase]:
    head = reading.outline.head
    of_head = head is not None and reading.of_head and reading.property != KIND
    subject = subject_of(reading)
    if head is not None and head.seen and (of_head or (is_shown(reading) and subject is None)):
        yield head
    if owner := owner_of(reading, subject):
        yield owner
    if subject is not None:
        yield subject
    others = (phrase for phrase in reading.anchors if phrase not in (head, subject))
    yield from (phrase for phrase in others if not _is_quality(phrase))
    if head is not None and head.seen and not _is_quality(head):
        yield head


def _is_quality(phrase: NounPhrase) -> bool:
    return phrase.head in words("aspects") - words("anything")


def owner_of(reading: Reading, subject: NounPhrase | None) -> NounPhrase | None:
    """Find the owner of the subject: the sport of an athlete, the cake of an outside."""
    if subject is None or subject.pointing or low_at(reading.words, subject.end) != "of":
        return None
    return next((phrase for phrase in reading.outline.phrases if phrase.start == subject.end + 1 and phrase.seen), None)


def is_shown(reading: Reading) -> bool:
    """Return True if the question says that the answer is in the image: what instrument is on the floor."""
    if reading.identity:
        return bool(reading.head)
    if (
        not reading.head
        or reading.property.startswith("other ")
        or (reading.of_head and reading.property != KIND)
        or subject_of(reading)
    ):
        return False
    rest = [word for word in reading.outline.rest if word.tag != "PUNCT"]
    verbs = [word for word in reading.outline.verbs if word.lemma not in words("showing")]
    return all(word.fine == "VBG" for word in verbs) and not (rest and rest[-1].tag == "ADP")


def _is_sure(anchor: Anchor, phrase: NounPhrase, reading: Reading, scene: Scene) -> bool:
    if anchor.how in _FIRM:
        return " " not in phrase.name or anchor.how != "name" or anchor.entity.name.lower() == phrase.name
    asked = phrase is reading.outline.head or (not reading.head and reading.property in (KIND, "called"))
    if asked or anchor.how == "hyponym":
        return False
    agreed = [thing.entity for thing in scene.things if thing.entity in anchor.fitting and len(thing.sources) > 1]
    names = {entity.name.lower() for entity in agreed or anchor.fitting} - {phrase.name}
    first = anchor.entity.name.lower()
    return all(name == first or related(first, name) for name in names)


def _is_presupposed(phrase: NounPhrase, reading: Reading) -> bool:
    if any(word.tag == "PROPN" for word in reading.words[phrase.start : phrase.end]):
        return False
    if phrase.pointing or phrase is reading.outline.head:
        return True
    return phrase.determiner not in ("a", "an", "", "any", "some", "no") and is_seen(phrase.name)


def _by_pronoun(reading: Reading, scene: Scene, anchors: Sequence[Anchor]) -> Anchor | None:
    if not reading.deictic:
        return None
    if set(reading.pronouns) & words("person words"):
        return presuppose("person")
    if reading.property in ("location", "time") or not set(reading.pronouns) - words("picture words"):
        return Anchor(SCENE, "scene", "", (SCENE,)) if reading.property != KIND else presuppose("object")
    if reading.property == KIND:
        return presuppose("object")
    salient = next((anchor for anchor in anchors if anchor.how == "salient"), None)
    agreed = [thing for thing in scene.things if salient and thing.entity == salient.entity and len(thing.sources) > 1]
    passive = any(word.fine == "VBN" for word in reading.outline.verbs)
    return salient if agreed and passive else presuppose("object")
