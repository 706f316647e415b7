"""Entities in the graph, linked to the terms that samples share."""

from collections.abc import Sequence

from kbe_graph.store.connection import Transaction
from kbe_graph.store.rows import Row
from kbe_graph.store.triplet_rows import is_rows


def write_entities(transaction: Transaction, rows: Sequence[Row]) -> None:
    """Write entities with their terms; those that are there already stay as they are."""
    links = is_rows(rows)
    terms = sorted({row["object"] for row in links})
    transaction.save("save_entities", list(rows))
    transaction.save("save_terms", [{"id": name, "properties": {}} for name in terms])
    transaction.save("save_is", links)
