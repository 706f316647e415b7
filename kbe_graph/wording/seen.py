"""What the relations of things that are seen in a picture say: enough to ask by them, or too little."""

import re

from kbe_graph.types import Triplet
from kbe_graph.wording.kind import is_animate

MATERIAL = {"material", "made of"}
# What ends no predicate; by themselves these are none, as any other single word.
_EMPTY = {"has", "for", "from", "by", "is", "as", "like", "about", "and"}
_PREPOSITIONS = {
    *("on", "in", "at", "near", "under", "behind", "above", "below", "beside", "beneath", "inside", "underneath"),
    *("against", "over", "across", "around", "between", "along", "outside", "through", "next to", "in front of"),
    *("on top of", "inside of", "to the left of", "to the right of", "close to", "on the side of"),
    *("in the middle of", "on the back of"),
}
# Where only a preposition of nearness ties a thing to another, much else in a picture answers as well.
_NEARNESS = (
    *("near", "beside", "behind", "against", "around", "at", "under", "over", "above", "below", "outside", "between"),
    *("along", "down", "across", "through", "past", "of", "towards", "toward", "to"),
)
# What a lifeless thing may be said to do.
_STILL = {
    *("sitting", "standing", "hanging", "lying", "laying", "flying", "driving", "traveling", "moving", "floating"),
    *("sailing", "leaning", "resting", "growing", "running", "going", "coming", "pulling", "carrying", "towing"),
    *("covering",),
}

# What one does with a thing; who grazes "with" something is beside it.
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
    """Return a relation in good English.

    Captions say "laying on" for lying on, and "on the backs of" what is asked for as one.
    """
    return _BACKS.sub(r"\1 of", _LAYING.sub("lying ", relation))


def is_predicate(triplet: Triplet) -> bool:
    """Return whether "is" and a relation make a predicate: a preposition, a gerund, a participle with its preposition.

    A gerund of what only a living being does needs one as its subject.
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
    """Return whether a relation ends in a preposition of nearness."""
    return f" {relation}".endswith(tuple(f" {near}" for near in _NEARNESS))
