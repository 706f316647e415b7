"""Rows of Wikidata's answers to facts: what may be stated, and of what."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from kbe_graph.facts.wikidata.archive import ResultRow
from kbe_graph.facts.wikidata.properties import properties
from kbe_graph.facts.wikidata.terms import item, statement
from kbe_graph.types import Fact

SOURCE = "Wikidata"
LICENCE = "CC0 1.0"
_TEXTS = {"P246"}
"""Properties whose values are words and not items."""


def facts(subject_id: str, subject: str, about: str, rows: Iterable[ResultRow]) -> tuple[Fact, ...]:
    """Return the facts that rows of facts.rq tell of an item, in a stable order.

    ``subject_id`` is the concept that they are told of (the item's own id, or that of the answer that was linked to
    it). Left out: protected properties; values without an English name, of the item itself, or that are people; and all
    values of a property that has more, current and of best rank, than can be named, for then the named one is not the
    only right answer.
    """
    stated: list[Fact] = []
    ordered = sorted(rows, key=lambda row: (_property(row), row.values["statement"], row.values["object"]))
    for name, group in groupby(ordered, key=_property):
        relation = properties().get(name)
        if relation is None or relation.protected:
            continue
        by_object = _by_object(group)
        if all(_can_be_told(row, about, name) for row in by_object.values()):
            stated += [_fact((subject_id, subject), about, name, row) for row in by_object.values()]
    return tuple(stated)


def _property(row: ResultRow) -> str:
    return row.values["property"].rpartition("/")[2]


def _by_object(rows: Iterable[ResultRow]) -> Mapping[str, ResultRow]:
    """Return a row for each object, that of the first statement."""
    by_object: dict[str, ResultRow] = {}
    for row in rows:
        if row.values["object"] not in by_object:
            by_object[row.values["object"]] = row
    return by_object


def _can_be_told(row: ResultRow, about: str, name: str) -> bool:
    values = row.values
    if name in _TEXTS:
        return bool(values["object"].strip()) and not item(values["object"])
    return (
        bool(item(values["object"]) and values.get("label"))
        and item(values["object"]) != about
        and values.get("person") != "true"
    )


def _fact(subject: tuple[str, str], about: str, name: str, row: ResultRow) -> Fact:
    values, relation = row.values, properties()[name]
    target = item(values["object"])
    label = values["label"] if target else values["object"]
    return Fact(
        subject_id=subject[0],
        subject=subject[1],
        relation=relation.name,
        object_id=f"wd:{target}" if target else f"wd:{about}/{name}",
        object=label,
        source=SOURCE,
        source_version=f"revision {values['revision']}" if "revision" in values else f"fetched {row.fetched}",
        source_date=values.get("modified", row.fetched)[:10],
        source_ref=statement(values["statement"]),
        evidence=f"{about} {subject[1]}: {relation.name} ({name}): {target} {label}".replace("  ", " "),
        licence=LICENCE,
    )


def next_items(facts: Sequence[Fact]) -> tuple[str, ...]:
    """Return the items that facts lead on to: the one object of each relation that has one."""
    by_relation: dict[str, list[str]] = {}
    for fact in facts:
        by_relation.setdefault(fact.relation, []).append(fact.object_id.removeprefix("wd:"))
    return tuple(objects[0] for objects in by_relation.values() if len(objects) == 1 and "/" not in objects[0])
