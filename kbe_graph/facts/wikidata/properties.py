"""Which properties of Wikidata are relations, how they are worded, and which are never asked for."""

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

from kbe_graph.english.inflect import head, is_plural
from kbe_graph.english.number import with_head
from kbe_graph.english.relation_label import relation_phrase
from kbe_graph.facts.relation import FILE, Relation, read_relations, relations
from kbe_graph.question import read

TIME, QUANTITY = "Time", "Quantity"
"""Datatypes of properties whose values are no items."""


@cache
def properties() -> Mapping[str, Relation]:
    """Return the relation of each property of the packaged table; raises DatasetError for a row that is not right.

    A relation is asked only of a subject that has one value, so all count as functional. What is not said here of a
    relation that the packaged facts have too is as there.
    """
    return read_relations(files("kbe_graph.facts.wikidata").joinpath(FILE), relations(), key="property")


def protected() -> tuple[str, ...]:
    """Return the properties that are never asked for, in the order of the table."""
    return tuple(name for name, relation in properties().items() if relation.protected)


@lru_cache(1 << 12)
def relation_of(name: str, label: str, datatype: str) -> Relation | None:
    """Return the relation of a property (P2043) by its English label (length) and datatype (``Quantity``).

    It is that of the packaged tables where they have the property or the label; else it is worded by its label: "the
    length of {}". None for a protected one, and for a label that makes no noun phrase.
    """
    relation = properties().get(name) or relations().get(label)
    if relation is not None:
        return None if relation.protected else relation
    phrase = "" if read(label).protected else _phrase(label, datatype)
    return Relation(label, (phrase,), family=label) if phrase else None


def _phrase(label: str, datatype: str) -> str:
    """Return what a value is: of a time the year alone is told, and of things that are counted the number."""
    if datatype == QUANTITY and is_plural(label):
        return relation_phrase(f"number of {label}")
    if datatype == TIME and head(label).casefold() in {"date", "time"}:
        return relation_phrase(with_head(label, "year"))
    phrase = relation_phrase(label)
    return f"the year of {phrase}" if phrase and datatype == TIME else phrase
