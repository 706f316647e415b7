"""Each statistic by its name: what makes its frame, of questions or of triplets."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from kbe_graph.errors import InputError
from kbe_graph.statistics.question_statistics import by_hop, difficulty, paper_table, variety
from kbe_graph.statistics.relation_families import families
from kbe_graph.statistics.relation_statistics import (
    chains,
    co_occurrence,
    frequency,
    growth,
    heaps,
    new_relations,
    object_entropy,
    object_types,
    zipf,
)
from kbe_graph.statistics.statistic_names import STATISTICS
from kbe_graph.types import Question

if TYPE_CHECKING:
    import pandas as pd


def laws(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Return the laws that relations are held against: law, exponent, factor, misfit.

    The misfit is the greatest distance of cumulative shares for Zipf's law, which has no factor, and the root mean
    square of the logarithms for Heaps' law.
    """
    import pandas as pd

    ranks, grown = zipf(edges.groupby("relation").size()), heaps(growth(edges))
    rows = [("Zipf", ranks.exponent, float("nan"), ranks.distance), ("Heaps", *grown)]
    return pd.DataFrame(rows, columns=["law", "exponent", "factor", "misfit"])


OF_QUESTIONS: "Mapping[str, Callable[[Sequence[Question]], pd.DataFrame]]" = {
    "questions": by_hop,
    "table2": paper_table,
    "difficulty": difficulty,
    "variety": variety,
}
OF_TRIPLETS: "Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]]" = {
    "relations": frequency,
    "laws": laws,
    "growth": growth,
    "hops": new_relations,
    "pairs": co_occurrence,
    "chains": chains,
    "objects": object_entropy,
    "types": object_types,
    "families": families,
}


def check_statistic(name: str) -> None:
    """Raise InputError where there is no statistic of this name."""
    if name not in STATISTICS:
        near = get_close_matches(name, STATISTICS, 1) or STATISTICS
        raise InputError(f"no statistic {name!r}; take {' or '.join(near)}")
