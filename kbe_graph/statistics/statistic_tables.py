"""Statistics by name, computed from questions, triplets or statements, and the frame of a graph's triplets."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from kbe_graph.errors import InputError
from kbe_graph.statistics import STATISTICS
from kbe_graph.statistics.question_statistics import by_hop, variety
from kbe_graph.statistics.relation_statistics import (
    chains,
    co_occurrence,
    frequency,
    object_entropy,
)
from kbe_graph.store import Store
from kbe_graph.types import Question

if TYPE_CHECKING:
    import pandas as pd


COLUMNS = (
    "sample",
    "graph",
    "relation",
    "hop",
    "subject",
    "subject_number",
    "object",
    "object_number",
    "type",
)
BATCH = 1_000  # samples
ALL = 1_000_000_000  # rows; the embedded engine's LIMIT has 32 bits


def edge_frame(store: Store, run: str | None = None) -> "pd.DataFrame":
    """Read the triplets of the extracted samples, and those that a run explored.

    Columns: sample, graph (visual or textual), relation, hop (0: the sample's own), subject and object (folded names),
    each with the number that distinguishes entities of one name in a sample, type (the object's; empty if unknown).
    Raises StoreError.
    """
    import pandas as pd

    ids = store.sample_ids(status="extracted")
    rows = [
        (row["sample"], *edge)
        for start in range(0, len(ids), BATCH)
        for row in store.connection.read("edge_lists", samples=ids[start : start + BATCH], run=run or "")
        for edge in row["edges"]
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).fillna({"type": ""})


OF_QUESTIONS: "Mapping[str, Callable[[Sequence[Question]], pd.DataFrame]]" = {
    "questions": by_hop,
    "variety": variety,
}
OF_TRIPLETS: "Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]]" = {
    "relations": frequency,
    "pairs": co_occurrence,
    "chains": chains,
    "objects": object_entropy,
}
OF_STATEMENTS: Mapping[str, str] = {"predicates": "predicate_frequency", "values": "object_frequency"}
"""The named query behind each statistic of statements."""


def statement_frame(store: Store, name: str) -> "pd.DataFrame":
    """Compute a statistic of Wikidata statements, most frequent first; raises InputError if there are none."""
    import pandas as pd

    table = store.query(OF_STATEMENTS[name], {"limit": ALL})
    if not table.rows:
        raise InputError(f"no {name} to count: this workspace has no Wikidata statements")
    return pd.DataFrame(list(table.rows), columns=list(table.columns))


def check_statistic(name: str) -> None:
    """Raise InputError for an unknown statistic."""
    if name not in STATISTICS:
        near = get_close_matches(name, STATISTICS, 1) or STATISTICS
        raise InputError(f"no statistic {name!r}; take {' or '.join(near)}")
