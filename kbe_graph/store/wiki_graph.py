"""Wikipedia page pictures, their items, the items' statements, and the origins of samples, in the graph.

Ids: items, statements and pictures have their own; a literal is ``kind|text``, with a hash in place of a long text.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection, Stored, Transaction, batches, batches_by
from kbe_graph.store.nodes import Row, node_row, properties_of, value_of
from kbe_graph.types import PagePicture, SampleOrigin, WikiItem, WikiStatement

BATCH = 500
STATEMENTS = 2_000  # per transaction
FORGOTTEN = 100  # items per transaction, each with its statements
LONGEST = 500  # characters of a literal's id; an index cannot hold long keys
FIELDS = tuple(WikiStatement.__slots__)  # in the order of the lists that ``item_statements`` returns


class StoredWiki(Stored):
    """The page pictures, items, statements and origins."""

    def save_pictures(self, pictures: Sequence[PagePicture]) -> None:
        """Save page pictures, each linked to its item, replacing existing ones."""
        for batch in batches(pictures, BATCH):
            self.connection.write(partial(_save_pictures, pictures=batch))

    def pictures(self, *, ids: Sequence[str] | None = None, reason: str | None = None) -> list[PagePicture]:
        """Return page pictures sorted by id, with any ``reason`` for exclusion or a given one (empty: not excluded)."""
        if ids is None:
            rows = self.connection.read("pictures", reason=reason)
        else:
            rows = self.connection.read_by_ids("pictures_by_id", ids)
        pictures = [value_of(PagePicture, "picture", row["picture"]) for row in rows]
        chosen = (each for each in pictures if reason in (None, each.reason))
        return sorted(chosen, key=lambda picture: picture.id)

    def save_items(self, items: Sequence[WikiItem], statements: Iterable[WikiStatement]) -> None:
        """Save Wikidata items with all their statements, replacing earlier statements; an item in one transaction.

        Raises InputError for a statement of an item that is not in ``items``, or without an id.
        """
        own: dict[str, list[WikiStatement]] = {item.id: [] for item in items}
        for statement in statements:
            if statement.item not in own:
                raise InputError(
                    f"statement {statement.id!r} is of {statement.item!r}, which is not saved with it; add the item"
                )
            own[statement.item].append(statement)
        unique = list({item.id: item for item in items}.values())
        for batch in batches_by(unique, lambda item: len(own[item.id]), STATEMENTS, BATCH):
            self.connection.write(partial(_save_items, items=batch, own=own))

    def items(self, ids: Sequence[str]) -> dict[str, WikiItem]:
        """Return items by id; unknown ones are left out, and one that was never fetched has at most a label."""
        items = [value_of(WikiItem, "item", row["item"]) for row in self.connection.read_by_ids("items_by_id", ids)]
        return {item.id: item for item in items}

    def item_statements(self, ids: Sequence[str], *, kept: bool | None = True) -> dict[str, tuple[WikiStatement, ...]]:
        """Return the statements of items by item, in order; ``kept`` False returns refused ones, None all."""
        rows = self.connection.read_by_ids("item_statements", ids, most=FORGOTTEN, kept=kept)
        return {row["item"]: _statements_of(row["statements"]) for row in rows}

    def statements(self, ids: Sequence[str]) -> dict[str, WikiStatement]:
        """Return statements by their ids; unknown ones are left out."""
        rows = self.connection.read_by_ids("statements_by_id", ids)
        statements = [value_of(WikiStatement, "statement", row["statement"]) for row in rows]
        return {statement.id: statement for statement in statements}

    def fetched_items(self) -> set[str]:
        """Return the ids of the items whose statements are stored."""
        return {row["id"] for row in self.connection.read("fetched_items")}

    def save_origins(self, origins: Sequence[SampleOrigin]) -> None:
        """Save the origins of samples, one per sample; raises InputError if a sample or picture is missing."""
        for batch in batches(list({origin.sample: origin for origin in origins}.values()), BATCH):
            rows = [
                {
                    "subject": origin.sample,
                    "object": origin.picture,
                    "properties": properties_of(origin, "sample", "picture"),
                }
                for origin in batch
            ]
            self.connection.write(partial(_save_origins, rows=rows))

    def origins(self, samples: Sequence[str]) -> dict[str, SampleOrigin]:
        """Return the origins of samples by sample; samples not made from a picture are left out."""
        rows = self.connection.read_by_ids("origins", samples, parameter="samples")
        origins = [
            value_of(SampleOrigin, "origin", row["origin"], sample=row["sample"], picture=row["picture"])
            for row in rows
        ]
        return {origin.sample: origin for origin in sorted(origins)}


def forget_wiki(connection: Connection) -> None:
    """Delete all pictures, items, statements and literals, in as many transactions as memory requires."""
    connection.run_until_done("forget_pictures", most=BATCH)
    connection.run_until_done("forget_items", most=FORGOTTEN, shared=False)
    connection.run_until_done("forget_items", most=BATCH, shared=True)
    connection.run_until_done("forget_literals", most=BATCH)


def _save_pictures(transaction: Transaction, pictures: Sequence[PagePicture]) -> None:
    items = {picture.id: picture.item for picture in pictures}
    stored = [row["picture"] for row in transaction.run("pictures_by_id", ids=list(items))]
    moved = [row for row in stored if row["item"] != items[row["id"]]]
    transaction.run("forget_pictured", ids=[row["id"] for row in moved])
    about = [picture for picture in pictures if picture.item]
    transaction.save("save_pictures", [node_row(picture.id, properties_of(picture, "id")) for picture in pictures])
    transaction.save("save_named_items", _named_items((picture.item, "") for picture in about))
    transaction.save("save_pictured", [{"subject": picture.id, "object": picture.item} for picture in about])
    transaction.run("forget_loose_items", ids=sorted({row["item"] for row in moved if row["item"]}))


def _save_items(
    transaction: Transaction, items: Sequence[WikiItem], own: Mapping[str, Sequence[WikiStatement]]
) -> None:
    ids = [item.id for item in items]
    statements = [statement for item in items for statement in own[item.id]]
    named = _named_items((each.target, each.text) for each in statements if each.target)
    literals = {_literal_id(each): {"kind": each.kind, "text": each.text} for each in statements if not each.target}
    edges = {row["id"]: row for id_ in ids for row in _statement_rows(own[id_])}
    former = {row["id"] for row in transaction.run("targets_of_items", ids=ids)}
    transaction.run("forget_statements_of_items", ids=ids)
    transaction.run("forget_statements", ids=list(edges))
    transaction.save("save_items", [node_row(item.id, properties_of(item, "id")) for item in items])
    transaction.save("save_named_items", named)
    transaction.save("label_items", [row for row in named if row["properties"]["label"]])
    transaction.save("save_literals", [node_row(id_, literals[id_]) for id_ in sorted(literals)])
    transaction.save("save_item_statements", [row for row in edges.values() if row["properties"]["target"]])
    transaction.save("save_literal_statements", [row for row in edges.values() if not row["properties"]["target"]])
    loose = sorted(former - {row["id"] for row in named} - literals.keys())
    transaction.run("forget_loose_items", ids=loose)
    transaction.run("forget_loose_literals", ids=loose)


def _save_origins(transaction: Transaction, rows: list[Row]) -> None:
    samples, pictures = ([row[end] for row in rows] for end in ("subject", "object"))
    stored = {row["sample"]["id"] for row in transaction.run("samples_by_id", ids=samples)}
    if strangers := [sample for sample in samples if sample not in stored]:
        raise InputError(f"no sample {strangers[0]!r} in the graph; load its benchmark first")
    stored = {row["picture"]["id"] for row in transaction.run("pictures_by_id", ids=sorted(set(pictures)))}
    if strangers := [picture for picture in pictures if picture not in stored]:
        raise InputError(f"no picture {strangers[0]!r} in the graph; save the pictures first")
    transaction.run("forget_from", samples=samples)
    transaction.save("save_from", rows)


def _named_items(named: Iterable[tuple[str, str]]) -> list[Row]:
    """Convert pairs of id and label to unique item nodes; a non-empty label takes precedence."""
    labels: dict[str, str] = {}
    for id_, label in named:
        labels[id_] = labels.get(id_) or label
    return [node_row(id_, {"label": label}) for id_, label in sorted(labels.items())]


def _literal_id(statement: WikiStatement) -> str:
    text = statement.text
    return f"{statement.kind}|{text if len(text) <= LONGEST else hashlib.sha256(text.encode()).hexdigest()}"


def _statement_rows(statements: Iterable[WikiStatement]) -> list[Row]:
    """Convert an item's statements to edges, numbered in order; the first of several with the same id wins."""
    unique: dict[str, WikiStatement] = {}
    for statement in statements:
        if not statement.id:
            raise InputError(
                f"a statement of {statement.item!r} ({statement.property_id!r}) has no id; give each its own id"
            )
        unique.setdefault(statement.id, statement)
    return [
        node_row(each.id, properties_of(each, "id", "item") | {"kept": each.kept, "position": position})
        | {"subject": each.item, "object": each.target or _literal_id(each)}
        for position, each in enumerate(unique.values())
    ]


def _statements_of(edges: Iterable[Sequence[Any]]) -> tuple[WikiStatement, ...]:
    ordered = sorted(edges, key=lambda edge: (edge[0], edge[1]))
    return tuple(value_of(WikiStatement, "statement", dict(zip(FIELDS, edge[1:], strict=True))) for edge in ordered)
