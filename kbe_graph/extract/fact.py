"""The supporting fact of a benchmark's question, as triplets (FVQA: Wang et al. 2018, sections 3.1 and 3.2).

A fact's subject is a concept seen in the image. Where the answer is the object, the path goes through the subject.
Where the answer is the subject itself, the fact is turned round: it narrows down which of the visible things is
meant.
"""

from typing import NamedTuple

from kbe_graph.english.inflect import singular
from kbe_graph.english.verb import comparative
from kbe_graph.text import fold

# ConceptNet's and DBpedia's relations in FVQA: what the object is to the subject, and the subject to the object.
_NAMES = {
    "usedfor": ("used for", "done with"),
    "transnbhd": ("category", "member"),
    "relatedto": ("related to", "related to"),
    "isa": ("is a", "example"),
    "capableof": ("capable of", "done by"),
    "atlocation": ("found in", "found there"),
    "hasproperty": ("property", "shown by"),
    "hasa": ("has", "part of"),
    "partof": ("part of", "has"),
    "desires": ("desires", "desired by"),
    "receivesaction": ("receives action", "received by"),
    "createdby": ("created by", "creates"),
}


class FactStep(NamedTuple):
    """A fact as one step from what is seen to another thing.

    ``other`` is the answer; where the fact is ``turned`` round, the answer is ``seen``, and ``other`` is known of it.
    """

    seen: str
    relation: str
    other: str
    turned: bool


def fact_step(fact: tuple[str, str, str], answer: str, *, answer_seen: bool = False) -> FactStep:
    """Return the step of a fact that ends in the answer; a fact that names it nowhere is read as ending in it.

    ``answer_seen`` says that the answer is in the image and the fact's subject is not known to be.
    """
    subject, relation, object_ = fact
    forth, back = _both_ways(relation)
    if fold(answer) == fold(subject) or (_is_same(answer, subject) and not _is_same(answer, object_)):
        return FactStep(answer, back, object_, turned=True)
    if answer_seen and _is_same(answer, object_):
        return FactStep(answer, forth, subject, turned=True)
    return FactStep(subject, forth, answer, turned=False)


def _both_ways(relation: str) -> tuple[str, str]:
    adjective, mark, way = relation.partition("#")
    if mark:
        more = comparative(adjective) if way == "f" else f"less {adjective}"
        return f"{more} than", f"thing that is {more}"
    return _NAMES.get(fold(relation).replace(" ", ""), (relation, f"{relation} of"))


def _is_same(name: str, other: str) -> bool:
    """Return whether two names are one, in singular or plural, or share their last word (fig, common fig)."""
    first, second = (fold(singular(fold(each))) for each in (name, other))
    return first == second or first.endswith(f" {second}") or second.endswith(f" {first}")
