"""Words a path of the sample's own graph: a question about its end (KBE, section 3.2, re-selection).

(IMAGE, depicts, MAN), (MAN, riding, HORSE) becomes "What is the man in this image riding?".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kbe_graph.errors import NoCandidate
from kbe_graph.express.reference import Phrase, Reference, relative
from kbe_graph.express.wording import sentence
from kbe_graph.lexicon.inflect import is_plural, lemmas, plural
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.lexicon.words import words
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Sample, SampleGraph, Triplet

# Kinds that a question may name, the narrow ones first.
KINDS = {
    "wn30:00015388-n": "animal",
    "wn30:04524313-n": "vehicle",
    "wn30:03405725-n": "piece of furniture",
    "wn30:03051540-n": "piece of clothing",
    "wn30:03800933-n": "musical instrument",
    "wn30:02778669-n": "ball",
    "wn30:04285146-n": "piece of sports equipment",
    "wn30:03528263-n": "appliance",
    "wn30:00017222-n": "plant",
    "wn30:00021265-n": "food",
    "wn30:07555863-n": "food",
    "wn30:03094503-n": "container",
    "wn30:04451818-n": "tool",
}
_PERSON, _ANIMAL, _PEOPLE = "wn30:00007846-n", "wn30:00015388-n", "wn30:07942152-n"
_EMPTY = {"has", "of", "with", "for", "from", "to", "by", "depicts", "is", "as", "like", "about", "and"}
_CLEAR = 3
_PREPOSITIONS = {
    *(
        "on",
        "in",
        "at",
        "near",
        "under",
        "behind",
        "above",
        "below",
        "beside",
        "beneath",
        "inside",
        "underneath",
        "against",
    ),
    *(
        "over",
        "across",
        "around",
        "between",
        "along",
        "outside",
        "through",
        "next to",
        "in front of",
        "on top of",
        "inside of",
    ),
    *(
        "to the left of",
        "to the right of",
        "close to",
        "on the side of",
        "in the middle of",
        "on the back of",
        "attached to",
    ),
}
# Where only a preposition of nearness ties a thing to another, much else in a picture answers as well.
_NEARNESS = (
    *(
        "near",
        "next to",
        "beside",
        "behind",
        "in front of",
        "against",
        "around",
        "at",
        "under",
        "over",
        "above",
        "below",
    ),
    *("close to", "left of", "right of", "side of", "outside", "outside of", "between", "along", "across", "through"),
    *("by", "past", "from", "of", "about", "towards", "toward", "to", "surrounded by"),
)
_VAGUE = {"food", "meal", "thing", "object", "item", "dish", "air", "ground", "water"}
# What is seen in most pictures is not asked for by its kind.
_COMMON = {"tree", "grass", "flower", "bush", "plant", "leaf", "trees", "flowers", "bushes", "leaves"}
# What a lifeless thing may be said to do.
_STILL = {
    *(
        "sitting",
        "standing",
        "hanging",
        "lying",
        "laying",
        "flying",
        "driving",
        "traveling",
        "moving",
        "floating",
        "sailing",
    ),
    *("leaning", "resting", "growing", "running", "going", "coming", "pulling", "carrying", "towing", "covering"),
}
_LONGEST = 3
_MATERIAL = {"material", "made of"}


@dataclass(frozen=True, slots=True)
class Asked:
    """The question of a path in several wordings, and the reference to its answer for the hops that follow."""

    texts: tuple[str, ...]
    reference: Reference
    pattern: str


def ask(sample: Sample, graph: SampleGraph, path: Sequence[Triplet]) -> Asked:
    """Return the question whose answer is the end of a path from IMAGE.

    Raises NoCandidate: "path too long", "relation says too little", "asks for a person", "names are not unique", "several
    answers" or "leak".
    """
    asked = _asked(_Names(graph), path)
    hidden = set(lemmas(path[-1].object.name))
    if any(hidden & set(lemmas(text)) for text in asked.texts):
        raise NoCandidate("leak", f"the question of {sample.id} would name {path[-1].object.name!r}")
    return asked


def _asked(names: "_Names", path: Sequence[Triplet]) -> Asked:
    last, kind = path[-1], kind_of(path[-1].object)
    if fold(last.object.name) in _VAGUE:
        raise NoCandidate("the answer says too little", last.object.name)
    if len(path) > _LONGEST:
        raise NoCandidate("path too long", f"{len(path)} edges")
    if len(path) == 1:
        return _depicted(names, last, kind)
    if last.relation not in _MATERIAL and not worded(last):
        raise NoCandidate("relation says too little", repr(last.relation))
    front, subject = names.chain(path[:-1])
    verb = "are" if names.is_many(last.subject) else "is"
    if last.relation in _MATERIAL:
        return _made(front, subject, verb)
    if not kind and f" {last.relation}".endswith(tuple(f" {near}" for near in _NEARNESS)):
        raise NoCandidate("relation says too little", repr(last.relation))
    if kind == "food" and re.search(r"\bon\b", last.relation) and _is_animate(last.subject):
        raise NoCandidate("relation says too little", f"nobody is {last.relation} food")
    if kind == "piece of clothing" and last.relation == "in":
        raise NoCandidate("relation says too little", "a man in a hat")
    names.only(last, kind)
    text = sentence(f"{front}what{f' {kind}' if kind else ''} {verb} {subject} {last.relation}")
    bare = subject.removesuffix(" in this image")
    phrases = relative(kind or "thing", f"{bare} {verb} {last.relation}", subject=bare)
    return Asked((text,), Reference(phrases, "path"), "object")


def _made(front: str, subject: str, verb: str) -> Asked:
    texts = (f"{front}what material {verb} {subject} made of", f"{front}what {verb} {subject} made of")
    bare = subject.removesuffix(" in this image")
    phrases = relative("material", f"{bare} {verb} made of", subject=bare)
    return Asked(tuple(map(sentence, texts)), Reference(phrases, "path"), "material")


def _depicted(names: "_Names", triplet: Triplet, kind: str) -> Asked:
    if not kind:
        raise NoCandidate("relation says too little", repr(triplet.relation))
    names.only(triplet, kind)
    phrases = (Phrase(f"the {kind} in this image"), Phrase(f"the {kind} shown in this image"))
    texts = (
        f"What {kind} is in this image?",
        f"What {kind} does this image show?",
        f"What {kind} is shown in this image?",
    )
    return Asked(texts, Reference(phrases, "path"), "depicted")


def kind_of(entity: Entity) -> str:
    """Return the kind that a question may call an entity, empty where there is none; raises NoCandidate for a person."""
    first = wordnet().lookup(entity.name.lower()).synsets[:1]
    if any(wordnet().is_a(one.id, _PERSON) for one in first):
        raise NoCandidate("asks for a person", entity.name)
    found = _sense(entity)
    above = {found, *wordnet().hypernyms(found)} if found else set()
    name = fold(entity.name)
    if name in _COMMON:
        return ""
    return next(
        (noun for synset, noun in KINDS.items() if synset in above and name not in noun and name[-5:] != "board"), ""
    )


def _sense(entity: Entity) -> str:
    """Return the sense of an entity: its concept, else the first where it is far more frequent than the second."""
    if entity.concept.startswith("wn30:"):
        return entity.concept
    senses = wordnet().senses(wordnet().lookup(entity.name.lower()).lemma)
    clear = len(senses) == 1 or (senses and senses[0][1] >= max(_CLEAR * senses[1][1], 1))
    return senses[0][0] if clear else ""


def _is_animate(entity: Entity) -> bool:
    senses = wordnet().lookup(entity.name.lower()).synsets[:3]
    return any({one.id, *wordnet().hypernyms(one.id)} & {_PERSON, _ANIMAL, _PEOPLE} for one in senses)


def worded(triplet: Triplet) -> bool:
    """Return whether "is" and a relation make a predicate: a preposition, a gerund, a participle with its preposition.

    A gerund of what only a living being does needs one as its subject.
    """
    relation = triplet.relation
    first, *rest = relation.split()
    if relation in _STILL:
        return False
    if relation in _EMPTY or (rest and rest[-1] in _EMPTY - {"of", "to", "with"}):
        return False
    if relation in _PREPOSITIONS:
        return True
    if first.endswith("ing"):
        return (
            first in _STILL if rest and not _is_animate(triplet.subject) else bool(rest) or _is_animate(triplet.subject)
        )
    return (
        bool(rest)
        and first.endswith(("ed", "en", "ung", "own", "ilt", "ade"))
        and rest[-1] in _PREPOSITIONS | {"with", "by", "to", "of"}
    )


class _Names:
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
        if any(not kind or _may_be(other, kind) for other in others):
            raise NoCandidate("several answers", ", ".join(sorted({other.name for other in others})))


def _may_be(entity: Entity, kind: str) -> bool:
    """Return whether some sense of an entity is of a kind; what WordNet does not know may be anything."""
    senses = wordnet().lookup(entity.name.lower()).synsets
    wanted = {synset for synset, noun in KINDS.items() if noun == kind}
    return not senses or any(wanted & {one.id, *wordnet().hypernyms(one.id)} for one in senses)
