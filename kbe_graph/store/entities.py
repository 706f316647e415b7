"""Entities in the graph, linked to the terms that samples share."""

from collections.abc import Iterable, Sequence

from kbe_graph.store.rows import Row
from kbe_graph.store.triplet_rows import is_rows


def entity_statements(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of entities and of their terms by statement, in order; what is there already stays as it is."""
    links = is_rows(rows)
    terms = term_rows(row["object"] for row in links)
    return {"save_entities": list(rows), "save_terms": terms, "save_is": links}


def term_rows(names: Iterable[str]) -> list[Row]:
    """Return the terms of these folded names, each once."""
    return [{"id": name, "properties": {}} for name in sorted(set(names))]
