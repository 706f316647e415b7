"""Comparison of the relations of two benchmarks, splits or runs, and search for possibly synonymous relations."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kbe_graph.english.inflect import vocabulary
from kbe_graph.extras import require_extra
from kbe_graph.facts.relation import relations
from kbe_graph.statistics.paired import holm
from kbe_graph.text import fold

if TYPE_CHECKING:
    import pandas as pd


LEAST_WORDS = 0.6
LEAST_COSINE = 0.7
LEAST_OBJECTS = 5  # minimum distinct objects of a relation to be compared by objects


class SynonymPair(NamedTuple):
    """Two possibly synonymous relations in alphabetical order, with the evidence."""

    relation: str
    other: str
    measure: str
    similarity: float


def families(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Find pairs of possibly synonymous relations, most frequent first.

    Columns: relation, other, measure, similarity, triplets and other_triplets (the counts of each).
    """
    import pandas as pd

    counts = edges.groupby("relation").size()
    names = list(counts.index)
    proposals = [*_by_table(names), *_by_words(names), *_by_objects(edges)]
    table = pd.DataFrame(proposals, columns=list(SynonymPair._fields))
    table["triplets"] = table["relation"].map(counts)
    table["other_triplets"] = table["other"].map(counts)
    order = table[["triplets", "other_triplets"]].min(axis=1).rename("least")
    table = table.assign(least=order).sort_values(
        ["least", "relation", "other", "measure"], ascending=[False, True, True, True], ignore_index=True
    )
    return table.drop(columns="least")


def _by_table(names: Iterable[str]) -> Iterator[SynonymPair]:
    rows = defaultdict(set)
    for row in relations().values():
        for name in (row.name, *row.synonyms):
            rows[fold(name)].add(row.name)
    alike = defaultdict(set)
    for name in names:
        for row_name in rows[fold(name)]:
            alike[row_name].add(name)
    pairs = {pair for group in alike.values() for pair in combinations(sorted(group), 2)}
    return (SynonymPair(*pair, "table", 1.0) for pair in sorted(pairs))


def _by_words(names: Iterable[str]) -> Iterator[SynonymPair]:
    words = {name: vocabulary(name) for name in names}
    holders = defaultdict(list)
    for name, own in words.items():
        for word in own:
            holders[word].append(name)
    pairs = {pair for group in holders.values() for pair in combinations(sorted(group), 2)}
    for relation, other in sorted(pairs):
        similarity = len(words[relation] & words[other]) / len(words[relation] | words[other])
        if similarity >= LEAST_WORDS:
            yield SynonymPair(relation, other, "words", similarity)


def _by_objects(edges: "pd.DataFrame") -> Iterator[SynonymPair]:
    require_extra("figures")
    from scipy.sparse import csr_array, diags_array

    counts = edges.groupby(["relation", "object"]).size().reset_index(name="triplets")
    varied = counts.groupby("relation")["object"].transform("size") >= LEAST_OBJECTS
    counts = counts[varied]
    rows, names = counts["relation"].factorize(sort=True)
    columns, objects = counts["object"].factorize()
    if len(names) < 2:
        return
    rarity = np.log(len(names) / np.bincount(columns)) + 1
    weights = np.log1p(counts["triplets"].to_numpy()) * rarity[columns]
    matrix = csr_array((weights, (rows, columns)), shape=(len(names), len(objects)))
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    matrix = diags_array(1 / norms) @ matrix
    cosines = (matrix @ matrix.T).tocoo()
    is_alike = (cosines.row < cosines.col) & (cosines.data >= LEAST_COSINE)
    for row, column, cosine in zip(cosines.row[is_alike], cosines.col[is_alike], cosines.data[is_alike], strict=True):
        yield SynonymPair(names[row], names[column], "objects", float(cosine))


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
