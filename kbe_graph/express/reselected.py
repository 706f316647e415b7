"""Words a path of the sample's own graph: a question about its end (KBE, section 3.2, re-selection).

(IMAGE, depicts, MAN), (MAN, riding, HORSE) becomes "What is the man in this image riding?".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kbe_graph.errors import NoCandidate
from kbe_graph.express.reference import Phrase, Reference, relative
from kbe_graph.lexicon.inflect import lemmas, plural
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
    "wn30:02913152-n": "building",
    "wn30:00017222-n": "plant",
    "wn30:00021265-n": "food",
    "wn30:07555863-n": "food",
    "wn30:03094503-n": "container",
    "wn30:04451818-n": "tool",
}
_PERSON = "wn30:00007846-n"
_EMPTY = {"has", "of", "with", "for", "from", "to", "by", "depicts", "is", "as", "like", "about", "and"}
_NUMBERS = {"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "several", "many"}
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
    if len(path) > _LONGEST:
        raise NoCandidate("path too long", f"{len(path)} edges")
    if len(path) == 1:
        return _depicted(names, last, kind)
    subject = names.chain(path[:-1])
    many = names.is_many(last.subject)
    verb = "are" if many else "is"
    if last.relation in _MATERIAL:
        return Asked(
            (f"What material {verb} {subject} made of?", f"What {verb} {subject} made of?"), *_made(subject, verb)
        )
    if not worded(last.relation):
        raise NoCandidate("relation says too little", repr(last.relation))
    names.only(last, kind)
    noun = f" {kind}" if kind else ""
    texts = [f"What{noun} {verb} {subject} {last.relation}?"]
    head = kind or "thing"
    said = f"{subject} {verb} {last.relation}"
    return Asked(
        tuple(texts), Reference(relative(head, said, subject=subject.split(" in this image")[0]), "path"), "object"
    )


def _made(subject: str, verb: str) -> tuple[Reference, str]:
    return Reference(relative("material", f"{subject} {verb} made of", subject=subject), "path"), "material"


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
    senses = wordnet().lookup(entity.name.lower()).synsets[:1]
    found = entity.concept if entity.concept.startswith("wn30:") else senses[0].id if senses else ""
    if not found:
        return ""
    above = {found, *wordnet().hypernyms(found)}
    if _PERSON in above:
        raise NoCandidate("asks for a person", entity.name)
    return next((noun for synset, noun in KINDS.items() if synset in above and fold(entity.name) not in noun), "")


def worded(relation: str) -> bool:
    """Return whether "is" and a relation make a predicate: a preposition, a gerund, a participle with its preposition."""
    first, *rest = relation.split()
    if relation in _EMPTY:
        return False
    if first.endswith("ing") or " ".join((first, *rest)) in words("prepositions") or first in words("prepositions"):
        return True
    return bool(rest) and first.endswith(("ed", "en", "ung", "own", "ilt", "ade")) and rest[-1] in words("prepositions")


class _Names:
    """What the things of one graph can be called, so that each phrase means one of them."""

    def __init__(self, graph: SampleGraph) -> None:
        self._visual = graph.visual
        self._entities = {triplet.object.key: triplet.object for triplet in graph.visual if triplet.subject == IMAGE}

    def is_many(self, entity: Entity) -> bool:
        """Return whether an entity stands for several things."""
        return any(one.object.name in _NUMBERS for one in self._visual if one.subject == entity)

    def chain(self, path: Sequence[Triplet]) -> str:
        """Return the phrase for the end of a path: the man in this image; the horse ridden by the man in this image."""
        phrase = f"{self.the(path[0].object)} in this image"
        for triplet in path[1:]:
            phrase = self._held(triplet, phrase)
        return phrase

    def _held(self, triplet: Triplet, subject: str) -> str:
        if not worded(triplet.relation):
            raise NoCandidate("relation says too little", repr(triplet.relation))
        self._alone(triplet)
        noun = self._noun(triplet.object)
        if " " not in triplet.relation and triplet.relation.endswith("ing"):
            return f"the {noun} that {subject} {'are' if self.is_many(triplet.subject) else 'is'} {triplet.relation}"
        return f"the {noun} with {subject} {triplet.relation} {'them' if self.is_many(triplet.object) else 'it'}"

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
        yield from (said for said in found if said not in _NUMBERS and " " not in said and not said.endswith("ing"))

    def only(self, asked: Triplet, kind: str) -> None:
        """Raise NoCandidate where another thing answers the question as well."""
        others = [
            one.object
            for one in self._visual
            if (one.subject, fold(one.relation)) == (asked.subject, fold(asked.relation))
            and fold(one.object.name) != fold(asked.object.name)
        ]
        if any(not kind or _kind(other) in {kind, ""} for other in others):
            raise NoCandidate("several answers", ", ".join(sorted({other.name for other in others})))


def _kind(entity: Entity) -> str:
    try:
        return kind_of(entity)
    except NoCandidate:
        return "person"
