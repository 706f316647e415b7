"""Intervals of shares, of clustered answers (drawn by image), and of any measure by bootstrap."""

from collections.abc import Callable
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kbe_graph.statistics import FEWEST, wilson

Floats = NDArray[np.float64]

DRAWS = 2000
LEAST_CLUSTERS = 10  # with fewer, a bootstrap interval is too narrow, and none is given
_TAILS = np.array([0.025, 0.975])
_NORMAL = NormalDist()


def cluster_sums(columns: ArrayLike, clusters: ArrayLike) -> Floats:
    """Sum each column (n rows, m columns) within each cluster; one row per cluster."""
    _, codes = np.unique(np.asarray(clusters), return_inverse=True)
    rows = np.asarray(columns, dtype=float)
    sums = np.zeros((int(codes.max(initial=-1)) + 1, rows.shape[1]))
    np.add.at(sums, codes, rows)
    return sums


def clustered_error(values: ArrayLike, clusters: ArrayLike) -> float:
    """Return the standard error of a mean of clustered values (Miller 2024, arXiv 2411.00640)."""
    own = np.asarray(values, dtype=float)
    sums = cluster_sums((own - own.mean())[:, None], clusters)
    return float(np.sqrt((sums**2).sum()) / len(own))


def design_effect(values: ArrayLike, clusters: ArrayLike) -> float:
    """Return the number of clustered values worth one independent value, at least 1 (Kish 1965)."""
    own = np.asarray(values, dtype=float)
    alone = own.var() / len(own)
    return max(1.0, clustered_error(own, clusters) ** 2 / alone) if alone else 1.0


def clustered_wilson(values: ArrayLike, clusters: ArrayLike) -> tuple[float, float]:
    """Return Wilson's 95 % interval of the mean of values in 0 to 1, at their effective sample size.

    If every cluster holds a single value of 0 or 1, this is the ordinary Wilson interval.
    """
    own = np.asarray(values, dtype=float)
    worth = len(own) / design_effect(own, clusters)
    return wilson(float(own.mean()) * worth, worth)


def bootstrap_interval(
    sums: Floats, statistic: Callable[[Floats], Floats], *, seed: int = 0, draws: int = DRAWS
) -> tuple[float, float]:
    """Return the BCa 95 % interval of a statistic of sums, drawing clusters (Efron 1987).

    ``sums`` has one row per cluster (see ``cluster_sums``); ``statistic`` maps totals (..., m) to (...). Clusters with
    equal sums are drawn together, which is equivalent and faster. NaN with fewer than ten clusters, or if all draws are
    equal.
    """
    kinds, counts = np.unique(sums, axis=0, return_counts=True)
    if len(sums) < LEAST_CLUSTERS:
        return np.nan, np.nan
    total = counts @ kinds
    weights = np.random.default_rng(seed).multinomial(len(sums), counts / len(sums), size=draws)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate, drawn, without = statistic(total), statistic(weights @ kinds), statistic(total - kinds)
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn) or np.ptp(drawn) < 1e-12 or not np.isfinite(without).all():
        return np.nan, np.nan
    low, high = np.quantile(drawn, _bca_tails(float(estimate), drawn, without, counts))
    return float(low), float(high)


def _bca_tails(estimate: float, drawn: Floats, without: Floats, counts: NDArray[np.int64]) -> Floats:
    below = ((drawn < estimate).mean() + (drawn <= estimate).mean()) / 2
    bias = _NORMAL.inv_cdf(float(np.clip(below, 1 / len(drawn), 1 - 1 / len(drawn))))
    apart = np.average(without, weights=counts) - without
    squares = counts @ apart**2
    bend = counts @ apart**3 / (6 * squares**1.5) if squares else 0.0
    moved = bias + np.array([_NORMAL.inv_cdf(tail) for tail in _TAILS])
    return np.array([_NORMAL.cdf(end) for end in bias + moved / (1 - bend * moved)])


Array = NDArray[Any]
ONE_CLASS = "all ratings are of one class, so that chance explains their agreement"
SHARES = frozenset({"share", "percent", "approved", "yes", "precision", "recall", "right", "also right"})
NO_SPREAD = "no two items differ in it, so that they give no interval"


class Measurement(NamedTuple):
    """A measure with its 95 % interval over ``items``; undefined figures are None, explained by ``note``."""

    measure: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    note: str = ""

    def in_words(self, decimals: int = 1) -> str:
        """Format the value with its interval in brackets, shares as percentages; empty without a value."""
        if self.value is None:
            return ""
        places, factor = (decimals, 100) if self.measure in SHARES else (2, 1)
        value, *ends = (
            f"{factor * figure:.{places}f}" for figure in (self.value, self.low, self.high) if figure is not None
        )
        return f"{value} ({' to '.join(ends)})" if ends else value


def mean_share(name: str, shares: Array, reason: str) -> Measurement:
    """Compute the mean of the items' shares, with the Wilson interval for shares of 0 and 1."""
    if not len(shares):
        return no_measurement(name, 0, reason)
    whole = float(shares.sum())
    return Measurement(name, whole / len(shares), *wilson(whole, len(shares)), len(shares))


def symmetric(name: str, value: float, half: float, items: int) -> Measurement:
    """Build a measurement with a symmetric interval, clipped to -1 and 1."""
    if half < 1e-12:
        return no_measurement(name, items, NO_SPREAD, value)
    return Measurement(name, value, max(value - half, -1.0), min(value + half, 1.0), items)


def no_measurement(name: str, items: int, note: str, value: float | None = None) -> Measurement:
    """Build a measurement without an interval, explained by ``note``, and by default without a value."""
    return Measurement(name, value, None, None, items, note)


def calm(measurement: Measurement) -> Measurement:
    """Remove the interval of a measurement with fewer than six items, explained by ``note``."""
    if measurement.items >= FEWEST or measurement.low is None:
        return measurement
    return measurement._replace(low=None, high=None, note=f"fewer than {FEWEST} items have no interval")
