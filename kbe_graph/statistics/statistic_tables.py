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
    growth,
    new_relations,
    object_entropy,
    object_types,
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


def edge_frame(store: Store, run: str | None = None, *, beginning: str = "") -> "pd.DataFrame":
    """Read the triplets of the extracted samples whose ids start with ``beginning``, and those that a run explored.

    Columns: sample, graph (visual or textual), relation, hop (0: the sample's own), subject and object (folded names),
    each with the number that distinguishes entities of one name in a sample, type (the object's; empty if unknown).
    Raises StoreError.
    """
    import pandas as pd

    ids = [id_ for id_ in store.sample_ids(status="extracted") if id_.startswith(beginning)]
    rows = [
        (row["sample"], *edge)
        for start in range(0, len(ids), BATCH)
        for row in store.connection.read("edge_lists", samples=ids[start : start + BATCH], run=run or "")
        for edge in row["edges"]
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).fillna({"type": ""})


def part_frame(store: Store, part: str) -> "pd.DataFrame":
    """Read the triplets of a benchmark, of one of its splits (``okvqa/val``), or those that a run explored.

    Raises InputError if the name is unknown, or denotes both a run and a benchmark.
    """
    parts = {part for id_ in store.sample_ids(status="extracted") for part in _parts_of(id_)}
    runs = {record.name for record in store.runs()}
    if part in parts & runs:
        raise InputError(f"{part!r} is both a benchmark and a run; name a split of the benchmark ({part}/...)")
    if part in parts:
        return edge_frame(store, beginning=f"{part}/")
    if part in runs:
        edges = edge_frame(store, part)
        return edges[edges["hop"] > 0].reset_index(drop=True)
    names = ", ".join(sorted(parts | runs)) or "none yet, load and extract one first"
    raise InputError(f"no benchmark, split or run {part!r}; available: {names}")


def _parts_of(id_: str) -> tuple[str, str]:
    benchmark, _, rest = id_.partition("/")
    return benchmark, f"{benchmark}/{rest.partition('/')[0]}"


OF_QUESTIONS: "Mapping[str, Callable[[Sequence[Question]], pd.DataFrame]]" = {
    "questions": by_hop,
    "variety": variety,
}
OF_TRIPLETS: "Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]]" = {
    "relations": frequency,
    "growth": growth,
    "hops": new_relations,
    "pairs": co_occurrence,
    "chains": chains,
    "objects": object_entropy,
    "types": object_types,
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
