"""Statistics of the relations of triplets: frequency, objects and sequence."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from kbe_graph.store import Store

if TYPE_CHECKING:
    import pandas as pd


COLUMNS = ("sample", "graph", "relation", "hop", "subject", "subject_number", "object", "object_number", "type")
BATCH = 1_000  # samples


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


def frequency(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Rank the relations by frequency: triplets and samples with each, and the share of all triplets."""
    groups = edges.groupby("relation")
    table = groups.agg(triplets=("relation", "size"), samples=("sample", "nunique")).reset_index()
    table = table.sort_values(["triplets", "relation"], ascending=[False, True], ignore_index=True)
    table.insert(0, "rank", range(1, len(table) + 1))
    table["share"] = table["triplets"] / max(len(edges), 1)
    return table


def object_entropy(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Measure how guessable the object of each relation is.

    Columns: relation, triplets, objects (distinct names), entropy (bits; 0: always the same object), evenness (the
    entropy divided by that of equally frequent objects), commonest (object), share (of the triplets with the commonest
    object: how often the best guess is right).
    """
    counts = edges.groupby(["relation", "object"]).size().rename("triplets").reset_index()
    counts = counts.sort_values(["triplets", "object"], ascending=[False, True])
    totals = counts.groupby("relation")["triplets"].transform("sum")
    part = counts["triplets"] / totals
    counts["bits"] = -part * np.log2(part)
    groups = counts.groupby("relation")
    table = groups.agg(
        triplets=("triplets", "sum"),
        objects=("object", "size"),
        entropy=("bits", "sum"),
        commonest=("object", "first"),
        most=("triplets", "first"),
    ).reset_index()
    most_possible = np.log2(table["objects"])
    table.insert(4, "evenness", (table["entropy"] / most_possible).where(table["objects"] > 1, 0.0))
    table["share"] = table.pop("most") / table["triplets"]
    return table.sort_values(["triplets", "relation"], ascending=[False, True], ignore_index=True)


def chains(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Count pairs of relations in sequence: the second leaves the entity that the first enters.

    Columns: relation, next, pairs (count), share (of the relations that follow). This is the transition matrix in long
    form: ``pivot(index="relation", columns="next", values="pairs")`` makes it square.
    """
    first = edges[["sample", "object", "object_number", "relation"]]
    second = edges[["sample", "subject", "subject_number", "relation"]].rename(columns={"relation": "next"})
    second = second.rename(columns={"subject": "object", "subject_number": "object_number"})
    pairs = first.merge(second, on=["sample", "object", "object_number"])
    table = pairs.groupby(["relation", "next"]).size().rename("pairs").reset_index()
    table["share"] = table["pairs"] / table.groupby("relation")["pairs"].transform("sum")
    return table.sort_values(["pairs", "relation", "next"], ascending=[False, True, True], ignore_index=True)


OF_TRIPLETS: "Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]]" = {
    "relations": frequency,
    "chains": chains,
    "objects": object_entropy,
}
"""The statistics of triplets by name."""
