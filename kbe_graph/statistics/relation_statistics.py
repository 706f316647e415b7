"""Statistics of relations: frequency, objects, co-occurrence and sequence."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kbe_graph.extras import require_extra

if TYPE_CHECKING:
    import pandas as pd


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


def co_occurrence(edges: "pd.DataFrame", *, least: int = 2) -> "pd.DataFrame":
    """Find the pairs of relations that co-occur in the graphs of at least ``least`` samples.

    Columns: relation, other, samples, expected (under independence), pmi (bits), npmi (-1 never, 0 independent, 1
    always together; Bouma 2009).
    """
    import pandas as pd

    held, names = _holdings(edges)
    together = (held.T @ held).tocoo()
    is_pair = (together.row < together.col) & (together.data >= least)
    first, second, samples = together.row[is_pair], together.col[is_pair], together.data[is_pair]
    single, count = np.asarray(held.sum(axis=0)).ravel(), max(held.shape[0], 1)
    table = pd.DataFrame({"relation": names[first], "other": names[second], "samples": samples})
    table["expected"] = single[first] * single[second] / count
    table["pmi"] = np.log2(table["samples"] / table["expected"])
    surprise = -np.log2(table["samples"] / count)
    table["npmi"] = (table["pmi"] / surprise).where(surprise > 0, 0.0)
    return table.sort_values(["samples", "relation", "other"], ascending=[False, True, True], ignore_index=True)


def _holdings(edges: "pd.DataFrame") -> tuple[Any, NDArray[np.object_]]:
    require_extra("figures")
    from scipy.sparse import csr_array

    pairs = edges[["sample", "relation"]].drop_duplicates()
    rows, samples = pairs["sample"].factorize(sort=True)
    columns, names = pairs["relation"].factorize(sort=True)
    shape = (len(samples), len(names))
    return csr_array((np.ones(len(pairs), np.int64), (rows, columns)), shape=shape), np.asarray(names, object)


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
