"""Statistics of relations: frequency, growth, objects, and co-occurrence; and two sets of triplets compared."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kbe_graph.extras import require_extra
from kbe_graph.statistics.paired import holm

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


POINTS = 30


def growth(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Return the expected number of distinct relations by number of samples, over all possible draws.

    Columns: samples, triplets (the mean for as many samples), relations (the mean; Hurlbert 1971). The samples' own
    graphs and explored triplets count together.
    """
    import pandas as pd

    samples = int(edges["sample"].nunique())
    held = edges.groupby("relation")["sample"].nunique().to_numpy()
    sizes = np.unique(np.geomspace(1, max(samples, 1), POINTS).round().astype(int)) if samples else np.array([], int)
    table = pd.DataFrame({"samples": sizes})
    table["triplets"] = sizes * len(edges) / max(samples, 1)
    table["relations"] = [_expected(held, samples, size) for size in sizes]
    return table


def _expected(held: NDArray[Any], samples: int, size: int) -> float:
    require_extra("figures")
    from scipy.stats import hypergeom

    return float((1 - hypergeom.pmf(0, samples, held, size)).sum())


def new_relations(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Count the triplets and relations of each hop, and the relations that are new there.

    Columns: hop, triplets, relations, new (in no earlier hop), all (up to this hop).
    """
    table = edges.groupby("hop").agg(triplets=("relation", "size"), relations=("relation", "nunique"))
    table["new"] = edges.groupby("relation")["hop"].min().value_counts().reindex(table.index, fill_value=0)
    table["all"] = table["new"].cumsum()
    return table.reset_index()


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


def object_types(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Tabulate entity types by relation, in long form.

    Columns: type (of the object: animal, artifact, food ..., or "unknown"), relation, triplets, share (of the
    relation's triplets).
    """
    named = edges.assign(type=edges["type"].replace("", "unknown"))
    table = named.groupby(["type", "relation"]).size().rename("triplets").reset_index()
    table["share"] = table["triplets"] / table.groupby("relation")["triplets"].transform("sum")
    return table.sort_values(["triplets", "type", "relation"], ascending=[False, True, True], ignore_index=True)


def co_occurrence(edges: "pd.DataFrame", *, least: int = 2) -> "pd.DataFrame":
    """Find the pairs of relations that co-occur in the graphs of at least ``least`` samples.

    Columns: relation, other, samples, expected (under independence), pmi (bits), npmi (-1 never, 0 independent, 1
    always together; Bouma 2009).
    """
    import pandas as pd

    held, names = holdings(edges)
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


def holdings(edges: "pd.DataFrame") -> tuple[Any, NDArray[np.object_]]:
    """Return the relations of each sample as a sparse matrix of ones, one row per sample, and the relations' names."""
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


Floats = NDArray[np.float64]
DRAWS = 999


class RelationComparison(NamedTuple):
    """Two sets of triplets side by side.

    - ``figures``: rows for samples, triplets, distinct relations, and relations found only here; then the divergence
      (Jensen-Shannon, bits: 0 equal shares, 1 nothing in common) and its p-value.
    - ``relations``: for each relation, its triplets, its share on each side and their difference (second minus first),
      its number of samples, whether only one side has it, p, and p corrected over all relations (``holm``), most
      significant first.
    """

    figures: "pd.DataFrame"
    relations: "pd.DataFrame"


def compare(edges: "pd.DataFrame", other: "pd.DataFrame", *, seed: int = 0) -> RelationComparison:
    """Compare the relations of two sets of triplets.

    Samples are the units, so triplets of one sample stay together: a relation's p-value is that of Fisher's exact test
    on the number of samples with it, corrected after Holm; the divergence is tested by ``DRAWS`` random permutations of
    the samples. If both sets cover the same samples, as two runs do, the tests are conservative.
    """
    require_extra("figures")
    import pandas as pd

    both = pd.concat([edges.assign(side=0), other.assign(side=1)], ignore_index=True)
    both["sample"] = both["side"].astype(str) + both["sample"]
    relations = _relations(both)
    figures = [
        ("samples", edges["sample"].nunique(), other["sample"].nunique()),
        ("triplets", len(edges), len(other)),
        ("relations", edges["relation"].nunique(), other["relation"].nunique()),
        ("only here", int((relations["only"] == "first").sum()), int((relations["only"] == "second").sum())),
        *((name, value, value) for name, value in zip(("divergence", "p"), _divergence(both, seed), strict=True)),
    ]
    return RelationComparison(pd.DataFrame(figures, columns=["figure", "first", "second"], dtype=object), relations)


def _relations(both: "pd.DataFrame") -> "pd.DataFrame":
    counts = both.pivot_table(index="relation", columns="side", values="sample", aggfunc="count", fill_value=0)
    samples = both.pivot_table(index="relation", columns="side", values="sample", aggfunc="nunique", fill_value=0)
    counts, samples = (table.reindex(columns=[0, 1], fill_value=0) for table in (counts, samples))
    sizes = [both.loc[both["side"] == side, "sample"].nunique() for side in (0, 1)]
    table = counts.set_axis(["triplets", "other_triplets"], axis=1)
    table["share"] = counts[0] / max(counts[0].sum(), 1)
    table["other_share"] = counts[1] / max(counts[1].sum(), 1)
    table["difference"] = table["other_share"] - table["share"]
    table["samples"], table["other_samples"] = samples[0], samples[1]
    table["only"] = np.select([counts[1] == 0, counts[0] == 0], ["first", "second"], "")
    table["p"] = [_fisher(row[0], sizes[0], row[1], sizes[1]) for row in samples[[0, 1]].to_numpy()]
    table["holm"] = holm(table["p"])
    return table.sort_values("p", kind="stable").reset_index()


def _fisher(part: int, whole: int, other_part: int, other_whole: int) -> float:
    from scipy.stats import fisher_exact

    return float(fisher_exact([[part, whole - part], [other_part, other_whole - other_part]]).pvalue)


def _divergence(both: "pd.DataFrame", seed: int) -> tuple[float, float]:
    counts, sides = _count_matrix(both)
    if len(np.unique(sides)) < 2:
        return float("nan"), float("nan")
    observed = _jensen_shannon(counts, sides)
    draw = np.random.default_rng(seed)
    reached = sum(_jensen_shannon(counts, draw.permutation(sides)) >= observed - 1e-12 for _ in range(DRAWS))
    return observed, (1 + reached) / (1 + DRAWS)


def _count_matrix(both: "pd.DataFrame") -> tuple[Any, Floats]:
    from scipy.sparse import csr_array

    rows, samples = both["sample"].factorize(sort=True)
    columns, names = both["relation"].factorize()
    ones = np.ones(len(both))
    counts = csr_array((ones, (rows, columns)), shape=(len(samples), len(names)))
    return counts, np.array([float(sample.startswith("1")) for sample in samples])


def _jensen_shannon(counts: Any, sides: Floats) -> float:
    from scipy.spatial.distance import jensenshannon

    return float(jensenshannon(counts.T @ (1 - sides), counts.T @ sides, base=2) ** 2)
