"""Storage of Wikipedia page pictures, their items, the items' statements, and the origins of samples."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection, Transaction, batches, saving_behind
from kbe_graph.store.row_check import Row
from kbe_graph.store.wiki_nodes import (
    item_of,
    item_row,
    literal_rows,
    named_item_rows,
    origin_of,
    origin_row,
    picture_of,
    picture_row,
    statement_of,
    statement_rows,
    statements_of,
)
from kbe_graph.types import PagePicture, Progress, SampleOrigin, WikiItem, WikiStatement

BATCH = 500
STATEMENTS = 2_000  # per transaction
READ = 2_000
FORGOTTEN = 100  # items per transaction, each with its statements


class ItemRows(NamedTuple):
    """The rows of a batch of items by statement, the ids of the items, and those of their statements."""

    rows: dict[str, list[Row]]
    items: list[str]
    statements: list[str]


def save_pictures(connection: Connection, pictures: Sequence[PagePicture], *, progress: Progress) -> None:
    """Save pictures in batches, each linked to its item, replacing existing ones."""
    for done, batch in enumerate(batches(pictures, BATCH)):
        about = [picture for picture in batch if picture.item]
        rows = {
            "save_pictures": [picture_row(picture) for picture in batch],
            "save_named_items": named_item_rows((picture.item, "") for picture in about),
            "save_pictured": [{"subject": picture.id, "object": picture.item} for picture in about],
        }
        connection.write(partial(_save_pictures, rows=rows))
        progress("pictures", done * BATCH + len(batch), len(pictures))


def _save_pictures(transaction: Transaction, rows: Mapping[str, list[Row]]) -> None:
    pictures = {row["id"]: row["properties"]["item"] for row in rows["save_pictures"]}
    stored = [row["picture"] for row in transaction.run("pictures_by_id", ids=list(pictures))]
    moved = [row for row in stored if row["item"] != pictures[row["id"]]]
    transaction.run("forget_pictured", ids=[row["id"] for row in moved])
    transaction.save_all(rows)
    transaction.run("forget_loose_items", ids=sorted({row["item"] for row in moved if row["item"]}))


def read_pictures(connection: Connection, *, ids: Sequence[str] | None, reason: str | None) -> list[PagePicture]:
    """Return pictures sorted by id; ``reason`` also filters those selected by ``ids``."""
    rows = connection.read("pictures", reason=reason) if ids is None else _by_ids(connection, "pictures_by_id", ids)
    pictures = (picture_of(row["picture"]) for row in rows)
    return sorted((each for each in pictures if reason in (None, each.reason)), key=lambda picture: picture.id)


def _by_ids(connection: Connection, name: str, ids: Iterable[str], **values: Any) -> Iterator[Row]:
    for batch in batches(sorted(set(ids)), READ):
        yield from connection.read(name, ids=batch, **values)


def save_items(
    connection: Connection, items: Sequence[WikiItem], statements: Iterable[WikiStatement], *, progress: Progress
) -> None:
    """Save items in batches, replacing their earlier statements; each item is saved in one transaction.

    Raises InputError for a statement of an item that is not in ``items``.
    """
    own: dict[str, list[WikiStatement]] = {item.id: [] for item in items}
    for statement in statements:
        if statement.item not in own:
            raise InputError(
                f"statement {statement.id!r} is of {statement.item!r}, which is not saved with it; add the item"
            )
        own[statement.item].append(statement)
    unique = list({item.id: item for item in items}.values())
    done = 0
    with saving_behind(connection.write) as write:
        for batch in _item_batches(unique, own):
            write(partial(_save_items, batch=_item_rows(batch, own)))
            done += len(batch)
            progress("items", done, len(unique))


def _item_batches(items: Iterable[WikiItem], own: Mapping[str, Sequence[WikiStatement]]) -> Iterator[list[WikiItem]]:
    batch: list[WikiItem] = []
    filled = 0
    for item in items:
        more = len(own[item.id])
        if batch and (filled + more > STATEMENTS or len(batch) == BATCH):
            yield batch
            batch, filled = [], 0
        batch.append(item)
        filled += more
    if batch:
        yield batch


def _item_rows(items: Sequence[WikiItem], own: Mapping[str, Sequence[WikiStatement]]) -> ItemRows:
    statements = [statement for item in items for statement in own[item.id]]
    named = named_item_rows((each.target, each.text) for each in statements if each.target)
    edges = {row["id"]: row for item in items for row in statement_rows(own[item.id])}
    rows = {
        "save_items": [item_row(item) for item in items],
        "save_named_items": named,
        "label_items": [row for row in named if row["properties"]["label"]],
        "save_literals": literal_rows(statements),
        "save_item_statements": [row for row in edges.values() if row["properties"]["target"]],
        "save_literal_statements": [row for row in edges.values() if not row["properties"]["target"]],
    }
    return ItemRows(rows, [item.id for item in items], list(edges))


def _save_items(transaction: Transaction, batch: ItemRows) -> None:
    former = {row["id"] for row in transaction.run("targets_of_items", ids=batch.items)}
    transaction.run("forget_statements_of_items", ids=batch.items)
    transaction.run("forget_statements", ids=batch.statements)
    transaction.save_all(batch.rows)
    loose = sorted(former - {row["id"] for name in ("save_named_items", "save_literals") for row in batch.rows[name]})
    transaction.run("forget_loose_items", ids=loose)
    transaction.run("forget_loose_literals", ids=loose)


def read_items(connection: Connection, ids: Sequence[str]) -> dict[str, WikiItem]:
    """Return items by id, including those that are only named; unknown ones are left out."""
    items = (item_of(row["item"]) for row in _by_ids(connection, "items_by_id", ids))
    return {item.id: item for item in items}


def read_item_statements(
    connection: Connection, ids: Sequence[str], *, kept: bool | None
) -> dict[str, tuple[WikiStatement, ...]]:
    """Return the statements of items by item, in order; items without any are left out."""
    statements: dict[str, tuple[WikiStatement, ...]] = {}
    for batch in batches(sorted(set(ids)), FORGOTTEN):
        rows = connection.read("item_statements", ids=batch, kept=kept)
        statements |= {row["item"]: statements_of(row["statements"]) for row in rows}
    return statements


def read_statements(connection: Connection, ids: Sequence[str]) -> dict[str, WikiStatement]:
    """Return statements by id; unknown ones are left out."""
    statements = (statement_of(row["statement"]) for row in _by_ids(connection, "statements_by_id", ids))
    return {statement.id: statement for statement in statements}


def update_reasons(connection: Connection, statements: Iterable[WikiStatement]) -> None:
    """Update the reasons of stored statements, and nothing else."""
    reasons: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for statement in statements:
        reasons[statement.item][statement.id] = list(statement.reasons)
    rows: list[Row] = [{"id": item, "reasons": own} for item, own in sorted(reasons.items())]
    for batch in batches(rows, FORGOTTEN):
        connection.save({"update_reasons": batch})


def save_origins(connection: Connection, origins: Sequence[SampleOrigin]) -> None:
    """Save origins in batches, one per sample; raises InputError for an unknown sample or picture."""
    for batch in batches(list({origin.sample: origin for origin in origins}.values()), BATCH):
        connection.write(partial(_save_origins, rows=[origin_row(origin) for origin in batch]))


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


def read_origins(connection: Connection, samples: Sequence[str] | None) -> dict[str, SampleOrigin]:
    """Return the origins of samples, or of all, by sample; samples not made from a picture are left out."""
    if samples is None:
        rows = connection.read("all_origins")
    else:
        ids = batches(sorted(set(samples)), READ)
        rows = [row for batch in ids for row in connection.read("origins", samples=batch)]
    origins = (origin_of(row) for row in rows)
    return {origin.sample: origin for origin in sorted(origins)}


def forget_wiki(connection: Connection) -> None:
    """Delete all pictures, items, statements and literals, in as many transactions as memory requires."""
    steps: tuple[tuple[str, int, dict[str, bool]], ...] = (
        ("forget_pictures", BATCH, {}),
        ("forget_items", FORGOTTEN, {"shared": False}),
        ("forget_items", BATCH, {"shared": True}),
        ("forget_literals", BATCH, {}),
    )
    for name, most, values in steps:
        while connection.write(_counting(name, most=most, **values)):
            pass


def _counting(name: str, **values: Any) -> Callable[[Transaction], int]:
    return lambda transaction: int(transaction.run(name, **values)[0]["count"])
