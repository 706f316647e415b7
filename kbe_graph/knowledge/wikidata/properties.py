"""Which properties of Wikidata are asked for, how they are worded, and which may never be asked."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from kbe_graph.errors import DatasetError
from kbe_graph.knowledge.relation import Relation
from kbe_graph.knowledge.table import rows

COLUMNS = ("property", "name", "phrases", "family", "inherit", "protected")


@cache
def properties() -> Mapping[str, Relation]:
    """Return the relation of each property of the packaged table; raises DatasetError for a row that is not right.

    A relation is asked only of a subject that has one value, so all count as functional.
    """
    file = files("kbe_graph.knowledge.wikidata").joinpath("relations.tsv")
    found: dict[str, Relation] = {}
    for line, (name, label, text, family, inherit, protected) in rows(file, COLUMNS):
        if name in found or {inherit, protected} - {"yes", "no"} or text.count("{}") != text.count("|") + 1:
            raise DatasetError(file.name, f"property {name!r} is there twice, or has a bad phrase or mark", line=line)
        phrases = tuple(phrase.strip() for phrase in text.split("|"))
        found[name] = Relation(
            label, phrases, family, functional=True, inherit=inherit == "yes", protected=protected == "yes"
        )
    return MappingProxyType(found)


def allowed() -> tuple[str, ...]:
    """Return the properties that are asked for, in the order of the table: protected ones never are."""
    return tuple(name for name, relation in properties().items() if not relation.protected)
