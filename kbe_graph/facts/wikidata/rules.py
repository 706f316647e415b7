"""Rows of Wikidata's answers to facts: what may be stated, and of what."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from kbe_graph.facts.relation import Relation
from kbe_graph.facts.wikidata.amounts import amount, year
from kbe_graph.facts.wikidata.archive import ResultRow
from kbe_graph.facts.wikidata.properties import QUANTITY, TIME, relation_of
from kbe_graph.facts.wikidata.terms import item, statement
from kbe_graph.text import fold
from kbe_graph.types import Fact

SOURCE = "Wikidata"
LICENCE = "CC0 1.0"


def facts(subject_id: str, subject: str, about: str, rows: Iterable[ResultRow]) -> tuple[Fact, ...]:
    """Return the facts that rows of facts.rq tell of an item, in a stable order.

    ``subject_id`` is the concept that they are told of (the item's own id, or that of the answer that was linked to
    it). Left out: properties that are no relations; values without an English name, of the item itself, that are people
    or pages, or that no answer can say; and all values of a property that has more, current and of best rank, than can
    be named, for then the named one is not the only right answer.
    """
    stated: list[Fact] = []
    ordered = sorted(rows, key=lambda row: (_property(row), row.values["statement"], row.values["object"]))
    for _, group in groupby(ordered, key=_property):
        by_name = _by_name(group)
        asked = relation(next(iter(by_name.values())))
        if asked is not None and all(_can_be_told(row, about) for row in by_name.values()):
            stated += [_fact((subject_id, subject), about, asked, row) for row in by_name.values()]
    return tuple(stated)


def relations(rows: Iterable[ResultRow]) -> Mapping[str, Relation]:
    """Return the relations that the properties of rows of facts.rq are, by their names."""
    return {asked.name: asked for row in rows if (asked := relation(row)) is not None}


def relation(row: ResultRow) -> Relation | None:
    """Return the relation that the property of a row is, None where it is none."""
    return relation_of(_property(row), row.values.get("wording", ""), _datatype(row))


def object_id(row: ResultRow) -> str:
    """Return the id of the value of a row: an item's (``wd:Q144``), else its name's (``name:1969``)."""
    target = item(row.values["object"])
    return f"wd:{target}" if target else f"name:{fold(_name(row)).replace(' ', '-')}"


def _property(row: ResultRow) -> str:
    return row.values["property"].rpartition("/")[2]


def _datatype(row: ResultRow) -> str:
    return row.values["type"].rpartition("#")[2]


def _by_name(rows: Iterable[ResultRow]) -> Mapping[str, ResultRow]:
    """Return a row for each value, that of the first statement; values that are said alike are one."""
    by_name: dict[str, ResultRow] = {}
    for row in rows:
        by_name.setdefault(item(row.values["object"]) or _name(row) or row.values["object"], row)
    return by_name


def _name(row: ResultRow) -> str:
    """Return what a value is called, empty where an answer cannot say it."""
    value, datatype = row.values["object"], _datatype(row)
    if datatype == TIME:
        return year(value, row.values.get("precision", ""))
    if datatype == QUANTITY:
        return amount(value, row.values.get("unit", ""))
    return row.values.get("label", "") if item(value) else ""


def _can_be_told(row: ResultRow, about: str) -> bool:
    return bool(_name(row)) and item(row.values["object"]) != about and row.values.get("unfit") != "true"


def _fact(subject: tuple[str, str], about: str, asked: Relation, row: ResultRow) -> Fact:
    values, name, label = row.values, _property(row), _name(row)
    target = item(values["object"])
    return Fact(
        subject_id=subject[0],
        subject=subject[1],
        relation=asked.name,
        object_id=object_id(row),
        object=label,
        source=SOURCE,
        source_version=f"revision {values['revision']}" if "revision" in values else f"fetched {row.fetched}",
        source_date=values.get("modified", row.fetched)[:10],
        source_ref=statement(values["statement"]),
        evidence=f"{about} {subject[1]}: {asked.name} ({name}): {target} {label}".replace("  ", " "),
        licence=LICENCE,
    )


def next_items(facts: Sequence[Fact]) -> tuple[str, ...]:
    """Return the items that facts lead on to: the one object of each relation that has one, years and amounts apart."""
    count = Counter(fact.relation for fact in facts)
    ids = (fact.object_id for fact in facts if count[fact.relation] == 1)
    return tuple(name.removeprefix("wd:") for name in ids if name.startswith("wd:"))
