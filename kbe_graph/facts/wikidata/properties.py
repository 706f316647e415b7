"""Which properties of Wikidata are asked for, how they are worded, and which may never be asked."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from kbe_graph.facts.relation import FILE, Relation, read_relations, relations


@cache
def properties() -> Mapping[str, Relation]:
    """Return the relation of each property of the packaged table; raises DatasetError for a row that is not right.

    A relation is asked only of a subject that has one value, so all count as functional. What is not said here of a
    relation that the packaged facts have too is as there.
    """
    return read_relations(files("kbe_graph.facts.wikidata").joinpath(FILE), relations(), key="property")


def allowed() -> tuple[str, ...]:
    """Return the properties that are asked for, in the order of the table: protected ones never are."""
    return tuple(name for name, relation in properties().items() if not relation.protected)
