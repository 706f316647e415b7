"""Wording of a path in the sample's graph as a question about its end (KBE, section 3.2, re-selection).

(IMAGE, depicts, MAN), (MAN, riding, HORSE) becomes "What is the man in this image riding?".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kbe_graph.types import Triplet
from kbe_graph.wording.names import Names, is_animate, kind_of
from kbe_graph.wording.phrases import sentence
from kbe_graph.wording.reference import Phrase, Reference

MATERIAL = {"material", "made of"}
# Words that cannot end a predicate; alone they are no predicate, like any other single word.
_EMPTY = {"has", "for", "from", "by", "is", "as", "like", "about", "and"}
_PREPOSITIONS = {
    *("on", "in", "at", "near", "under", "behind", "above", "below", "beside", "beneath", "inside", "underneath"),
    *("against", "over", "across", "around", "between", "along", "outside", "through", "next to", "in front of"),
    *("on top of", "inside of", "to the left of", "to the right of", "close to", "on the side of"),
    *("in the middle of", "on the back of"),
}
# Prepositions of nearness: much else in an image may be near as well.
_NEARNESS = (
    *("near", "beside", "behind", "against", "around", "at", "under", "over", "above", "below", "outside", "between"),
    *("along", "down", "across", "through", "past", "of", "towards", "toward", "to"),
)
# Actions of inanimate objects.
_STILL = {
    *("sitting", "standing", "hanging", "lying", "laying", "flying", "driving", "traveling", "moving", "floating"),
    *("sailing", "leaning", "resting", "growing", "running", "going", "coming", "pulling", "carrying", "towing"),
    *("covering",),
}

# Actions performed with an object; grazing "with" something means beside it.
_HANDLING = {
    "playing",
    "eating",
    "cutting",
    "writing",
    "working",
    "drawing",
    "cleaning",
    "digging",
    "filled",
    "covered",
}

# What is towed down a street is not the street; nothing is parked in a window.
_TAKING = {"towing", "pulling", "pushing", "dragging", "hauling", "leading"}
_FLAT = {"window", "mirror", "door", "wall", "fence", "picture", "screen"}
_BACKS = re.compile(r"\b(back|head|top|side|edge)s of\b")
_LAYING = re.compile(r"^laying (?=(?:on|in|down|next|under|by|near|beside|against|across|over|behind)\b)")


def good_english(relation: str) -> str:
    """Correct the English of a relation.

    Captions say "laying on" for lying on, and "on the backs of" for a single object.
    """
    return _BACKS.sub(r"\1 of", _LAYING.sub("lying ", relation))


def is_predicate(triplet: Triplet) -> bool:
    """Return True if "is" and a relation form a predicate: a preposition, a gerund, or a participle with a preposition.

    A gerund that describes an action of living beings needs such a subject.
    """
    relation = triplet.relation
    first, *rest = relation.split()
    if relation in _STILL or (rest[-1:] == ["with"] and (len(rest) > 1 or first not in _HANDLING)):
        return False
    if (first in _TAKING and rest) or (relation.endswith(" in") and triplet.object.name.lower() in _FLAT):
        return False
    if rest and rest[-1] in _EMPTY:
        return False
    if relation in _PREPOSITIONS:
        return True
    if first.endswith("ing"):
        return (
            first in _STILL if rest and not is_animate(triplet.subject) else bool(rest) or is_animate(triplet.subject)
        )
    return (
        bool(rest)
        and first.endswith(("ed", "en", "ung", "own", "ilt", "ade"))
        and rest[-1] in _PREPOSITIONS | {"with", "by", "to", "of"}
    )


def is_near(relation: str) -> bool:
    """Return True if a relation ends in a preposition of nearness."""
    return f" {relation}".endswith(tuple(f" {near}" for near in _NEARNESS))


@dataclass(frozen=True, slots=True)
class PathQuestion:
    """The question for a path in several wordings, and the reference to its answer for further hops."""

    texts: tuple[str, ...]
    reference: Reference
    pattern: str


def ask(names: Names, path: Sequence[Triplet]) -> PathQuestion:
    """Build the question that the end of a path from IMAGE answers; the path must pass ``checks.path``."""
    last, kind = path[-1], kind_of(path[-1].object)
    if len(path) == 1:
        return _depicted(kind)
    front, subject = names.chain(path[:-1])
    verb = "are" if names.is_many(last.subject) else "is"
    bare = subject.removesuffix(" in this image")
    if last.relation in MATERIAL:
        return _made(front, f"{verb} {subject}", f"{bare} {verb} made of")
    relation = good_english(last.relation)
    text = sentence(f"{front}what{f' {kind}' if kind else ''} {verb} {subject} {relation}")
    phrase = Phrase(f"the {kind or 'thing'} that {bare} {verb} {relation}")
    return PathQuestion((text,), Reference((phrase,), "path"), "object")


def _made(front: str, asked: str, clause: str) -> PathQuestion:
    texts = (f"{front}what material {asked} made of", f"{front}what {asked} made of")
    phrase = Phrase(f"the material that {clause}")
    return PathQuestion(tuple(map(sentence, texts)), Reference((phrase,), "path"), "material")


def _depicted(kind: str) -> PathQuestion:
    phrases = (Phrase(f"the {kind} in this image"), Phrase(f"the {kind} shown in this image"))
    texts = (
        f"What {kind} is in this image?",
        f"What {kind} does this image show?",
        f"What {kind} is shown in this image?",
    )
    return PathQuestion(texts, Reference(phrases, "path"), "depicted")
