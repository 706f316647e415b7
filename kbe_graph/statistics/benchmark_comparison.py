"""How two benchmarks, splits or runs differ in their relations."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kbe_graph.statistics.paired import holm

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
DRAWS = 999


class RelationComparison(NamedTuple):
    """Two sets of triplets side by side.

    ``figures``: a row each for samples, triplets, relations (different ones) and those that the other does not have;
    then the divergence (Jensen-Shannon, bits: 0 the same shares, 1 nothing in common) and its p.
    ``relations``: by relation its triplets, its share on each side and their difference (second less first), in how
    many samples it is, whether only one side has it, p, and p held against all relations (``holm``), the clearest
    differences first.
    """

    figures: "pd.DataFrame"
    relations: "pd.DataFrame"


def compare(edges: "pd.DataFrame", other: "pd.DataFrame", *, seed: int = 0) -> RelationComparison:
    """Compare the relations of two sets of triplets.

    Samples are what is drawn: triplets of one sample go together. So a relation's p is that of Fisher's exact test on
    how many samples have it, corrected after Holm; the divergence is held against ``DRAWS`` other ways to deal the
    samples out. Where both sets are of the same samples, as two runs are, the tests are cautious.
    """
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
    """Return the Jensen-Shannon divergence of the two sides in bits, and how often a random deal is as far apart."""
    counts, sides = _count_matrix(both)
    if len(np.unique(sides)) < 2:
        return float("nan"), float("nan")
    observed = _jensen_shannon(counts, sides)
    draw = np.random.default_rng(seed)
    reached = sum(_jensen_shannon(counts, draw.permutation(sides)) >= observed - 1e-12 for _ in range(DRAWS))
    return observed, (1 + reached) / (1 + DRAWS)


def _count_matrix(both: "pd.DataFrame") -> tuple[Any, Floats]:
    """Return the count of each relation in each sample, and 1 for the samples of the second side."""
    from scipy.sparse import csr_array

    rows, samples = both["sample"].factorize(sort=True)
    columns, names = both["relation"].factorize()
    ones = np.ones(len(both))
    counts = csr_array((ones, (rows, columns)), shape=(len(samples), len(names)))
    return counts, np.array([float(sample.startswith("1")) for sample in samples])


def _jensen_shannon(counts: Any, sides: Floats) -> float:
    from scipy.spatial.distance import jensenshannon

    return float(jensenshannon(counts.T @ (1 - sides), counts.T @ sides, base=2) ** 2)
