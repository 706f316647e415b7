"""Relations that may be the same under another name: proposed with a measure, never merged.

Three measures. ``table``: the reviewed table of relations has one as a synonym of the other, or both as synonyms of
a third. ``words``: the share of words and lemmas that both names have, prepositions too, as "sitting in" is not
"sitting on". ``objects``: the cosine of how often they lead to each object, rare objects weighed more.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kbe_graph.english.inflect import vocabulary
from kbe_graph.extras import require_extra
from kbe_graph.facts.relation import relations
from kbe_graph.text import fold

if TYPE_CHECKING:
    import pandas as pd

LEAST_WORDS = 0.6
LEAST_COSINE = 0.7
LEAST_OBJECTS = 5  # different objects that a relation must have for the measure by objects


class SynonymPair(NamedTuple):
    """Two relations that may be one, the first by name before the other."""

    relation: str
    other: str
    measure: str
    similarity: float


def families(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Return pairs of relations that may be near-synonyms, the most frequent first.

    Columns: relation, other, measure, similarity, triplets and other_triplets (how many each has).
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
    require_extra("statistics")
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
