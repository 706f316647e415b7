"""What the words of a re-selected question give away, by what captions of other pictures say most (``guesses.tsv``)."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from kbe_graph.extract.scene import related
from kbe_graph.files.resources import data
from kbe_graph.files.tsv import rows
from kbe_graph.types import IMAGE, Entity, Triplet
from kbe_graph.wording.kind import is_animate, is_person, kind_of
from kbe_graph.wording.seen import MATERIAL, good_english

COLUMNS = ("subject", "relation", "kind", "end")
ANYTHING = ""
# What most people say first when they are asked for a thing of the kind (Van Overschelde, Rawson and Dunlosky 2004).
_FIRST = {"animal": "dog", "vehicle": "car", "fruit": "apple", "vegetable": "carrot"}


class AskedEnd(NamedTuple):
    """What a question asks: whose relation, which, and the kind of its end that it tells, if it tells one."""

    subject: str
    relation: str
    kind: str


# What is asked in other words is guessed as well: who sits on an animal rides it.
_AS = {"sitting on": "riding", "sitting on top of": "riding", "on top of": "riding", "chasing": "herding"}


def asked_of(triplet: Triplet) -> Iterator[AskedEnd]:
    """Give what a question about the object of a triplet asks, as narrow and as wide as it can be read."""
    kind, relation = kind_of(triplet.object), good_english(triplet.relation)
    if triplet.subject == IMAGE:
        if kind:
            yield AskedEnd(ANYTHING, relation, kind)
        return
    sort = _sort(triplet.subject)
    rides = kind == "animal" and sort in {"person", "animal"}
    for like in dict.fromkeys((relation, _AS.get(relation, relation) if rides else relation)):
        yield AskedEnd(triplet.subject.name.lower(), like, kind)
        yield AskedEnd(sort, like, kind)
        yield AskedEnd(ANYTHING, like, kind)


def _sort(subject: Entity) -> str:
    return "person" if is_person(subject) else kind_of(subject) or ("animal" if is_animate(subject) else "thing")


def guess(triplet: Triplet) -> str:
    """Return what everybody guesses where the object of a triplet is asked for, if that is right; else nothing.

    There are so few materials that each is guessed.
    """
    end = triplet.object.name.lower()
    if triplet.relation in MATERIAL:
        return end
    first = _FIRST.get(kind_of(triplet.object), "")
    ends = (first, *(name for asked in asked_of(triplet) for name in _guesses().get(asked, ())))
    return next((name for name in ends if name and related(name, end)), "")


@cache
def _guesses() -> Mapping[AskedEnd, tuple[str, ...]]:
    table: dict[AskedEnd, tuple[str, ...]] = {}
    for _, (subject, relation, kind, end) in rows(data("guesses.tsv"), COLUMNS):
        asked = AskedEnd(subject, relation, kind)
        table[asked] = (*table.get(asked, ()), end)
    return table
