"""How often relations occur, and how evenly: Zipf's law."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas as pd

STEEPEST = 10.0


class ZipfFit(NamedTuple):
    """The exponent of Zipf's law among ranks, and the greatest distance of its cumulative shares from those counted."""

    exponent: float
    distance: float


def frequency(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Return the relations by rank: how many triplets and samples have each, and its share of all triplets.

    ``zipf`` is the share that the fitted law gives to the rank.
    """
    groups = edges.groupby("relation")
    table = groups.agg(triplets=("relation", "size"), samples=("sample", "nunique")).reset_index()
    table = table.sort_values(["triplets", "relation"], ascending=[False, True], ignore_index=True)
    table.insert(0, "rank", range(1, len(table) + 1))
    table["share"] = table["triplets"] / max(len(edges), 1)
    table["zipf"] = _shares(zipf(table["triplets"]).exponent, len(table))
    return table


def zipf(counts: ArrayLike) -> ZipfFit:
    """Return Zipf's law as it fits counts best, by maximum likelihood over the ranks that there are.

    Fewer than two counts have no exponent (NaN). The maximum is that of Clauset, Shalizi and Newman (2009, appendix B),
    the distance that of Kolmogorov and Smirnov.
    """
    from scipy.optimize import minimize_scalar

    ordered = np.sort(np.asarray(counts, dtype=float))[::-1]
    if len(ordered) < 2:
        return ZipfFit(float("nan"), float("nan"))
    logs = np.log(np.arange(1, len(ordered) + 1))
    weight, total = float(ordered @ logs), float(ordered.sum())

    def loss(exponent: float) -> float:
        """Return the negative log-likelihood of Zipf's law with this exponent."""
        return exponent * weight + total * float(np.log(np.exp(-exponent * logs).sum()))

    exponent = float(minimize_scalar(loss, bounds=(0.0, STEEPEST), method="bounded").x)
    gaps = np.cumsum(ordered / total) - np.cumsum(_shares(exponent, len(ordered)))
    return ZipfFit(exponent, float(np.abs(gaps).max()))


def _shares(exponent: float, count: int) -> NDArray[np.float64]:
    """Return the share of each of so many ranks under Zipf's law."""
    weights: NDArray[np.float64] = np.arange(1, count + 1, dtype=float) ** -exponent
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares
