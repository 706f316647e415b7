"""Conversion of Wikidata statements to facts for exploration: relations of properties, and values usable as answers.

Statements come from entities or from rows of the query service; both are handled in the same way.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType

from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import frequency
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.relation import Relation
from kbe_graph.facts.wikidata.rules import QUANTITY, TIME, amount, relation_of, year
from kbe_graph.facts.wikidata.statement_filters import REPEATED, WIKIMEDIA_KINDS
from kbe_graph.facts.wikidata.wikidata import ENTITY, ResultRow, item_of
from kbe_graph.text import fold
from kbe_graph.types import Fact, WikiItem, WikiStatement
from kbe_graph.types.wiki import ValueKind

SOURCE = "Wikidata"
LICENCE = "CC0 1.0"
UNFIT = "value is a person or a page"
"""The reason for a value that exploration does not ask about."""

_UNFIT_KINDS = WIKIMEDIA_KINDS | {"Q5"}
_DATATYPES = {"WikibaseItem": "wikibase-item", "Time": TIME, "Quantity": QUANTITY}  # by their names in RDF
_UNSURE = {"", "entity", "human", "name", "object", "person"}  # a legal person is a firm
_NONE: Mapping[str, Sequence[str]] = MappingProxyType({})


def statement_facts(
    item: WikiItem,
    statements: Iterable[WikiStatement],
    *,
    subject_id: str = "",
    kinds: Mapping[str, Sequence[str]] = _NONE,
) -> tuple[Fact, ...]:
    """Convert the statements of an item to facts, in a stable order.

    ``subject_id`` is the subject of the facts, by default the item (``wd:Q275``); ``kinds`` maps values to what they
    are instances of. Only statements of the best rank that have not ended count, with items, times or quantities as
    values. Pass all statements of an item: a property is left out if any of its values is refused by a filter (other
    than as a repeat), has no English name, is the item itself, a person or a page, or cannot be an answer, because the
    remaining value would not be the only right answer. Properties that are not relations are left out too.
    """
    subject = (subject_id or f"wd:{item.id}", item.label or item.id)
    stated: list[Fact] = []
    ordered = sorted(
        filter(_is_stated, statements), key=lambda each: (each.property_id, each.id, each.target, each.raw)
    )
    for _, group in groupby(ordered, key=lambda statement: statement.property_id):
        by_name: dict[str, WikiStatement] = {}
        for row in group:
            by_name.setdefault(row.target or value_name(row) or row.raw or row.id, row)
        asked = _relation(next(iter(by_name.values())))
        if asked is not None and all(_can_be_told(row, item.id, kinds) for row in by_name.values()):
            stated += [_fact(subject, item, asked, row) for row in by_name.values()]
    return tuple(stated)


def _is_stated(statement: WikiStatement) -> bool:
    typed = statement.datatype in _DATATYPES.values() and statement.kind != "none"
    return typed and statement.best and statement.current and REPEATED not in statement.reasons


def _relation(statement: WikiStatement) -> Relation | None:
    return relation_of(statement.property_id, statement.relation, statement.datatype)


def object_id(statement: WikiStatement) -> str:
    """Return the concept id of a value: its item (``wd:Q144``), or its name (``name:1969``)."""
    return f"wd:{statement.target}" if statement.target else f"name:{fold(value_name(statement)).replace(' ', '-')}"


def value_name(statement: WikiStatement) -> str:
    """Return the value of a statement as an answer, such as a year; empty if it has no name."""
    raw = json.loads(statement.raw) if statement.raw else {}
    if statement.kind == "time":
        return year(str(raw.get("time", "")), str(raw.get("precision", "")))
    if statement.kind == "quantity":
        return amount(str(raw.get("amount", "")), statement.unit)
    return statement.text if statement.target else ""


def _can_be_told(statement: WikiStatement, about: str, kinds: Mapping[str, Sequence[str]]) -> bool:
    unfit = bool(statement.reasons) or not _UNFIT_KINDS.isdisjoint(kinds.get(statement.target, ()))
    return bool(value_name(statement)) and statement.target != about and not unfit


def _fact(subject: tuple[str, str], item: WikiItem, asked: Relation, statement: WikiStatement) -> Fact:
    name, label = statement.property_id, value_name(statement)
    fetched = f"fetched {item.fetched}" if item.fetched else ""
    return Fact(
        subject_id=subject[0],
        subject=subject[1],
        relation=asked.name,
        object_id=object_id(statement),
        object=label,
        source=SOURCE,
        source_version=f"revision {item.revision}" if item.revision else fetched,
        source_date=(item.modified or item.fetched)[:10],
        source_ref=statement.id,
        evidence=f"{item.id} {subject[1]}: {asked.name} ({name}): {statement.target} {label}".replace("  ", " "),
        licence=LICENCE,
    )


def next_items(facts: Sequence[Fact]) -> tuple[str, ...]:
    """Return the items that facts lead on to: the object of each relation with only one, without years and amounts."""
    count = Counter(fact.relation for fact in facts)
    ids = (fact.object_id for fact in facts if count[fact.relation] == 1)
    return tuple(name.removeprefix("wd:") for name in ids if name.startswith("wd:"))


def statement_pack(
    items: Iterable[WikiItem],
    statements: Iterable[WikiStatement],
    names: Mapping[str, Sequence[str]] = _NONE,
    *,
    ids: Mapping[str, Iterable[str]] = _NONE,
) -> Pack:
    """Build the pack of items' facts, sorted by item number.

    ``names`` has other names of items that occur only as values. ``ids`` maps items to the concepts
    (``wn30:02084071-n``) that are subjects of their facts, in addition to the items' own ids. An item with exactly one
    concept is also replaced by it as an object, so that chains continue from there.
    """
    by_id = {item.id: item for item in items}
    of_item: dict[str, list[WikiStatement]] = {item: [] for item in by_id}
    for statement in statements:
        of_item[statement.item].append(statement)
    kinds = {item.id: item.kinds for item in by_id.values()}
    concepts_of = {item: sorted(concepts) for item, concepts in ids.items()}
    same = {f"wd:{item}": concepts[0] for item, concepts in concepts_of.items() if len(concepts) == 1}
    spoken = {f"wd:{name}": tuple(others) for name, others in names.items()}
    spoken |= {f"wd:{item.id}": other_names(item.label, item.aliases) for item in by_id.values()}
    spoken = {name: others for name, others in spoken.items() if others}
    facts: list[Fact] = []
    for item in sorted(by_id.values(), key=lambda item: (len(item.id), item.id)):
        for concept in sorted({*concepts_of.get(item.id, ()), f"wd:{item.id}"}):
            for fact in statement_facts(item, of_item[item.id], subject_id=concept, kinds=kinds):
                target = same.get(fact.object_id, fact.object_id)
                if target != concept:
                    facts.append(replace(fact, object_id=target, aliases=spoken.get(fact.object_id, ())))
    stated = filter(_is_stated, (statement for rows in of_item.values() for statement in rows))
    relations = {asked.name: asked for statement in stated if (asked := _relation(statement))}
    return Pack(tuple(facts), relations, spoken, {f"wd:{item.id}": kind_noun(item) for item in by_id.values()})


def kind_noun(item: WikiItem) -> str:
    """Choose the noun for what an item is an instance of: a whole label, or else the head of one; empty if none fits.

    >>> kind_noun(WikiItem("Q38", kind_labels=("sovereign state", "country"))), kind_noun(WikiItem("Q1"))
    ('country', '')
    """
    if item.human:
        return "person"
    kinds = [(label, wordnet().lookup(label)) for label in item.kind_labels]
    nouns = [
        (not kind.head, frequency(kind.lemma), kind.lemma)
        for label, kind in kinds
        if f" {kind.lemma} " in f" {label} " and kind.lemma not in _UNSURE
    ]
    return max(nouns)[-1] if nouns else ""


def other_names(label: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """Return the informative aliases: without two-letter codes, flags and repetitions of the label."""
    seen = {fold(label): ""}
    for name in sorted(aliases):
        if sum(letter.isalnum() for letter in name) > 2:
            seen.setdefault(fold(name), name)
    return tuple(name for name in seen.values() if name)


def row_item(about: str, rows: Sequence[ResultRow], label: str = "", aliases: Sequence[str] = ()) -> WikiItem:
    """Build an item from its rows of facts.rq."""
    values: Mapping[str, str] = rows[0].values if rows else {}
    return WikiItem(
        about,
        label,
        aliases=tuple(aliases),
        revision=values.get("revision", ""),
        modified=values.get("modified", ""),
        fetched=rows[0].fetched if rows else "",
    )


def row_statement(row: ResultRow) -> WikiStatement:
    """Build a statement from a row of facts.rq."""
    values = row.values
    value, datatype = values["object"], _DATATYPES.get(values["type"].rpartition("#")[2], "")
    target = item_of(value)
    kind: ValueKind = "item" if target else "unknown"
    raw: Mapping[str, str] = {}
    if datatype == TIME:
        kind, raw = "time", {"time": value, "precision": values.get("precision", "")}
    elif datatype == QUANTITY:
        kind, raw = "quantity", {"amount": value}
    statement = WikiStatement(
        id=values.get("statement", "").removeprefix(f"{ENTITY}statement/").replace("-", "$", 1),
        item=item_of(values["about"]),
        property_id=values["property"].rpartition("/")[2],
        relation=values.get("wording", ""),
        datatype=datatype,
        kind=kind,
        target=target,
        raw=json.dumps(raw) if raw else "",
        text=values.get("label", "") if target else "",
        unit=values.get("unit", ""),
        reasons=(UNFIT,) if values.get("unfit") == "true" else (),
    )
    return statement if target else replace(statement, text=value_name(statement))
