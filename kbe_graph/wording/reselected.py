"""Words a path of the sample's own graph: a question about its end (KBE, section 3.2, re-selection).

(IMAGE, depicts, MAN), (MAN, riding, HORSE) becomes "What is the man in this image riding?".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kbe_graph.types import Triplet
from kbe_graph.wording.kind import kind_of
from kbe_graph.wording.names import Names
from kbe_graph.wording.reference import Phrase, Reference, relative
from kbe_graph.wording.seen import MATERIAL, good_english
from kbe_graph.wording.sentence import sentence


@dataclass(frozen=True, slots=True)
class PathQuestion:
    """The question of a path in several wordings, and the reference to its answer for the hops that follow."""

    texts: tuple[str, ...]
    reference: Reference
    pattern: str


def ask(names: Names, path: Sequence[Triplet]) -> PathQuestion:
    """Return the question that the end of a path from IMAGE answers, one that may be asked about (``checks.path``)."""
    last, kind = path[-1], kind_of(path[-1].object)
    if len(path) == 1:
        return _depicted(kind)
    front, subject = names.chain(path[:-1])
    verb = "are" if names.is_many(last.subject) else "is"
    bare = subject.removesuffix(" in this image")
    if last.relation in MATERIAL:
        return _made(front, subject, f"{verb} {subject}", f"{bare} {verb} made of")
    relation = good_english(last.relation)
    text = sentence(f"{front}what{f' {kind}' if kind else ''} {verb} {subject} {relation}")
    phrases = relative(kind or "thing", f"{bare} {verb} {relation}", subject=bare)
    return PathQuestion((text,), Reference(phrases, "path"), "object")


def _made(front: str, subject: str, asked: str, clause: str) -> PathQuestion:
    texts = (f"{front}what material {asked} made of", f"{front}what {asked} made of")
    phrases = relative("material", clause, subject=subject.removesuffix(" in this image"))
    return PathQuestion(tuple(map(sentence, texts)), Reference(phrases, "path"), "material")


def _depicted(kind: str) -> PathQuestion:
    phrases = (Phrase(f"the {kind} in this image"), Phrase(f"the {kind} shown in this image"))
    texts = (
        f"What {kind} is in this image?",
        f"What {kind} does this image show?",
        f"What {kind} is shown in this image?",
    )
    return PathQuestion(texts, Reference(phrases, "path"), "depicted")
