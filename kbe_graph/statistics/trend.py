"""How shares go with a number: with the hop, or with the size of the key subgraph."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kbe_graph.statistics.intervals import DRAWS, LEAST_CLUSTERS, Floats, bootstrap_interval, cluster_sums


class Trend(NamedTuple):
    """The change of a share for one step more, its 95 % interval, and the p of there being no trend."""

    slope: float
    low: float
    high: float
    p: float


class Association(NamedTuple):
    """Pearson's r with its 95 % interval."""

    r: float
    low: float
    high: float


def trend(steps: ArrayLike, values: ArrayLike, clusters: ArrayLike, *, seed: int = 0, draws: int = DRAWS) -> Trend:
    """Return the least-squares slope of values (0 to 1) over steps, with a bootstrap over clusters (BCa).

    The test is Cochran's and Armitage's for a trend of shares (Armitage 1955) with the variance between clusters (the
    robust score test of Liang and Zeger 1986, with Student's t), as a sample's hops hang together. NaN where nothing
    can be said: steps that are all the same, or fewer than ten clusters for interval and p.
    """
    sums = _moments(steps, values, clusters)
    ends = bootstrap_interval(sums, _slope, seed=seed, draws=draws)
    return Trend(_estimate(sums, _slope), *ends, _score_test(sums))


def correlation(x: ArrayLike, y: ArrayLike, clusters: ArrayLike, *, seed: int = 0, draws: int = DRAWS) -> Association:
    """Return the correlation of two numbers, with a bootstrap over clusters (BCa); NaN if one never changes."""
    sums = _moments(x, y, clusters)
    return Association(_estimate(sums, _pearson), *bootstrap_interval(sums, _pearson, seed=seed, draws=draws))


def _moments(x: ArrayLike, y: ArrayLike, clusters: ArrayLike) -> Floats:
    """Return the sums of 1, x, y, xx, xy, yy within each cluster."""
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return cluster_sums(np.column_stack([np.ones_like(up), across, up, across**2, across * up, up**2]), clusters)


def _estimate(sums: Floats, statistic: Callable[[Floats], Floats]) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(statistic(sums.sum(axis=0)))


def _slope(totals: Floats) -> Floats:
    count, x, y, xx, xy, _ = np.moveaxis(totals, -1, 0)
    return np.asarray(_quotient(count * xx - x * x, count * xy - x * y))


def _pearson(totals: Floats) -> Floats:
    count, x, y, xx, xy, yy = np.moveaxis(totals, -1, 0)
    spread = np.sqrt(np.maximum((count * xx - x * x) * (count * yy - y * y), 0.0))
    return _quotient(spread, count * xy - x * y)


def _quotient(below: Floats, above: Floats) -> Floats:
    """Return a quotient, NaN where the divisor is nothing but rounding."""
    return np.asarray(np.where(np.abs(below) > 1e-9, above / below, np.nan))


def _score_test(sums: Floats) -> float:
    from scipy.special import stdtr

    count, x, y, *_ = sums.sum(axis=0)
    mean_x, mean_y = x / count, y / count
    scores = sums[:, 4] - mean_x * sums[:, 2] - mean_y * sums[:, 1] + mean_x * mean_y * sums[:, 0]
    error = float(np.sqrt((scores**2).sum()))
    if len(sums) < LEAST_CLUSTERS or error < 1e-9:
        return float("nan")
    return 2 * float(stdtr(len(sums) - 1, -abs(scores.sum()) / error))
