"""Conversion of items, statements, pictures and origins to nodes and edges, and back.

Ids: items, statements and pictures have their own; a literal is ``kind|text``, with a hash in place of a long text.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, get_args

from kbe_graph.errors import InputError
from kbe_graph.store.nodes import field_properties, node_row
from kbe_graph.store.row_check import (
    LIST_OR_NONE,
    NUMBER_OR_NONE,
    TEXT_OR_NONE,
    Row,
    Types,
    checked_values,
    refuse_row,
    typed,
)
from kbe_graph.types import PagePicture, SampleOrigin, WikiItem, WikiStatement
from kbe_graph.types.wiki import Rank, ValueKind

ITEM: Types = {
    "id": str,
    **typed("label description", TEXT_OR_NONE),
    **typed("aliases kinds kind_labels", LIST_OR_NONE),
    "sitelinks": NUMBER_OR_NONE,
    **typed("revision modified source fetched", TEXT_OR_NONE),
}
STATEMENT: Types = {
    **typed("id item property_id relation datatype kind target text raw unit rank"),
    **typed("best current", bool),
    "reasons": LIST_OR_NONE,
}
PICTURE: Types = {
    **typed("id image caption page title language section context mime"),
    **typed("width height", int),
    "is_main": bool,
    **typed("item reason author licence licence_url"),
}
ORIGIN: Types = {**typed("item maker prompt"), **typed("statements calls", LIST_OR_NONE)}
LONGEST = 500  # characters of a literal's id; an index cannot hold long keys


def item_row(item: WikiItem) -> Row:
    """Convert a fetched item to a node."""
    return node_row(item.id, field_properties(item, ITEM.keys() - {"id"}))


def item_of(row: Mapping[str, Any]) -> WikiItem:
    """Build a WikiItem from its node; one that is only named has nothing but a label."""
    values = checked_values("item", row, ITEM)
    return WikiItem(**values | {"sitelinks": values["sitelinks"] or 0})


def named_item_rows(named: Iterable[tuple[str, str]]) -> list[Row]:
    """Convert pairs of id and label to unique item nodes; a non-empty label takes precedence."""
    labels: dict[str, str] = {}
    for id_, label in named:
        labels[id_] = labels.get(id_) or label
    return [node_row(id_, {"label": label}) for id_, label in sorted(labels.items())]


def literal_id(statement: WikiStatement) -> str:
    """Return the id of the literal that a statement leads to.

    >>> literal_id(WikiStatement("Q275$1", "Q275", "P2043", "length", "quantity", "quantity", text="1300 kilometres"))
    'quantity|1300 kilometres'
    """
    text = statement.text
    return f"{statement.kind}|{text if len(text) <= LONGEST else hashlib.sha256(text.encode()).hexdigest()}"


def literal_rows(statements: Iterable[WikiStatement]) -> list[Row]:
    """Return the unique literals of statements as nodes."""
    literals = {literal_id(each): {"kind": each.kind, "text": each.text} for each in statements if not each.target}
    return [node_row(id_, literals[id_]) for id_ in sorted(literals)]


def statement_rows(statements: Iterable[WikiStatement]) -> list[Row]:
    """Convert an item's statements to edges, numbered in order; the first of several with the same id wins.

    Raises InputError for a statement without an id.
    """
    unique: dict[str, WikiStatement] = {}
    for statement in statements:
        if not statement.id:
            raise InputError(
                f"a statement of {statement.item!r} ({statement.property_id!r}) has no id; give each its own id"
            )
        unique.setdefault(statement.id, statement)
    return [_statement_row(statement, position) for position, statement in enumerate(unique.values())]


def _statement_row(statement: WikiStatement, position: int) -> Row:
    properties = field_properties(statement, STATEMENT.keys() - {"id", "item"})
    ends = {"subject": statement.item, "object": statement.target or literal_id(statement)}
    return node_row(statement.id, properties | {"kept": statement.kept, "position": position}) | ends


def statement_of(row: Mapping[str, Any]) -> WikiStatement:
    """Build a WikiStatement from a STATEMENT edge."""
    values = checked_values("statement", row, STATEMENT)
    _require_choice(row, "rank", get_args(Rank))
    _require_choice(row, "kind", get_args(ValueKind))
    return WikiStatement(**values)


def _require_choice(row: Mapping[str, Any], field: str, choices: Collection[str]) -> None:
    if row[field] not in choices:
        refuse_row("statement", row["id"], field, row[field])


def statements_of(edges: Iterable[Sequence[Any]]) -> tuple[WikiStatement, ...]:
    """Build the statements of an item, in order, from the edges that ``item_statements`` returns."""
    ordered = sorted(edges, key=lambda edge: (edge[0], edge[1]))
    return tuple(statement_of(dict(zip(STATEMENT, edge[1:], strict=True))) for edge in ordered)


def picture_row(picture: PagePicture) -> Row:
    """Convert a picture to a node."""
    return node_row(picture.id, field_properties(picture, PICTURE.keys() - {"id"}))


def picture_of(row: Mapping[str, Any]) -> PagePicture:
    """Build a PagePicture from its node."""
    values = checked_values("picture", row, PICTURE)
    return PagePicture(**{field.name: values[field.name] for field in fields(PagePicture)})


def origin_row(origin: SampleOrigin) -> Row:
    """Convert an origin to the edge from its sample to its picture."""
    return {"subject": origin.sample, "object": origin.picture, "properties": field_properties(origin, ORIGIN)}


def origin_of(row: Mapping[str, Any]) -> SampleOrigin:
    """Build a SampleOrigin from a row with its FROM edge, ``sample`` and ``picture``."""
    values = checked_values("origin of sample", {**row["origin"], "id": row["sample"]}, ORIGIN)
    return SampleOrigin(row["sample"], row["picture"], **values)
