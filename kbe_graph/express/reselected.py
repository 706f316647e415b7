"""Words a path of the sample's own graph: a question about its end (KBE, section 3.2, re-selection).

(IMAGE, depicts, MAN), (MAN, riding, HORSE) becomes "What is the man in this image riding?".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kbe_graph.errors import NoCandidate
from kbe_graph.express.kinds import is_animate, is_room, kind_of
from kbe_graph.express.names import Names
from kbe_graph.express.reference import Phrase, Reference, relative
from kbe_graph.express.seen import MATERIAL, is_near, said, worded
from kbe_graph.express.wording import sentence
from kbe_graph.lexicon.inflect import lemmas
from kbe_graph.text import fold
from kbe_graph.types import Sample, SampleGraph, Triplet

_VAGUE = {"food", "meal", "thing", "object", "item", "dish", "air", "ground", "water"}
_LONGEST = 3
# What a woman is "in" may be snow, a coat or a room.
_BARE = {"in", "with", "of"}


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
    asked = _asked(Names(graph), path)
    hidden = set(lemmas(path[-1].object.name))
    if any(hidden & set(lemmas(text)) for text in asked.texts):
        raise NoCandidate("leak", f"the question of {sample.id} would name {path[-1].object.name!r}")
    return asked


def _asked(names: Names, path: Sequence[Triplet]) -> Asked:
    last, kind = path[-1], kind_of(path[-1].object)
    if fold(last.object.name) in _VAGUE:
        raise NoCandidate("the answer says too little", last.object.name)
    if len(path) > _LONGEST:
        raise NoCandidate("path too long", f"{len(path)} edges")
    if len(path) == 1:
        return _depicted(names, last, kind)
    if last.relation not in MATERIAL and not worded(last):
        raise NoCandidate("relation says too little", repr(last.relation))
    front, subject = names.chain(path[:-1])
    verb = "are" if names.is_many(last.subject) else "is"
    if last.relation in MATERIAL:
        return _made(front, subject, verb)
    if not kind and (is_near(last.relation) or last.relation in _BARE or is_room(last.subject)):
        raise NoCandidate("relation says too little", repr(last.relation))
    if kind == "food" and re.search(r"\bon\b", last.relation) and is_animate(last.subject):
        raise NoCandidate("relation says too little", f"nobody is {last.relation} food")
    if kind == "piece of clothing" and last.relation == "in":
        raise NoCandidate("relation says too little", "a man in a hat")
    names.only(last, kind)
    relation = said(last.relation)
    text = sentence(f"{front}what{f' {kind}' if kind else ''} {verb} {subject} {relation}")
    bare = subject.removesuffix(" in this image")
    phrases = relative(kind or "thing", f"{bare} {verb} {relation}", subject=bare)
    return Asked((text,), Reference(phrases, "path"), "object")


def _made(front: str, subject: str, verb: str) -> Asked:
    texts = (f"{front}what material {verb} {subject} made of", f"{front}what {verb} {subject} made of")
    bare = subject.removesuffix(" in this image")
    phrases = relative("material", f"{bare} {verb} made of", subject=bare)
    return Asked(tuple(map(sentence, texts)), Reference(phrases, "path"), "material")


def _depicted(names: Names, triplet: Triplet, kind: str) -> Asked:
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
