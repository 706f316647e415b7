"""Paired comparisons of answers, their power, and trends and correlations."""

from collections.abc import Callable
from functools import lru_cache
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kbe_graph.extras import has_extra
from kbe_graph.statistics import wilson
from kbe_graph.statistics.intervals import (
    DRAWS,
    LEAST_CLUSTERS,
    Floats,
    bootstrap_interval,
    cluster_sums,
    design_effect,
)


def can_test() -> bool:
    """Return True if scipy is there, which trends and power need; otherwise warn."""
    return has_extra("figures")


class Trend(NamedTuple):
    """Change of a share per step, with its 95 % interval and the p-value of no trend."""

    slope: float
    low: float
    high: float
    p: float


class Correlation(NamedTuple):
    """Pearson's r over ``rows``, and its 95 % interval, None for fewer than ten clusters."""

    r: float
    low: float | None
    high: float | None
    rows: int


def trend(steps: ArrayLike, values: ArrayLike, clusters: ArrayLike, *, seed: int = 0, draws: int = DRAWS) -> Trend:
    """Return the least-squares slope of values (0 to 1) over steps, with a BCa bootstrap over clusters.

    The test is the Cochran-Armitage test for a trend in proportions (Armitage 1955) with the variance between clusters
    (the robust score test of Liang and Zeger 1986, with Student's t), because a sample's hops are dependent. Undefined
    values are NaN: constant steps, or fewer than ten clusters for interval and p.
    """
    sums = _moments(steps, values, clusters)
    ends = bootstrap_interval(sums, _slope, seed=seed, draws=draws)
    return Trend(_estimate(sums, _slope), *ends, _score_test(sums))


def correlation(
    x: ArrayLike, y: ArrayLike, clusters: ArrayLike, *, seed: int = 0, draws: int = DRAWS
) -> Correlation | None:
    """Correlate two figures of the same rows, with a BCa bootstrap over clusters.

    Rows with NaN in either are ignored; None if fewer than three are left or a figure is constant.
    """
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    both = ~(np.isnan(across) | np.isnan(up))
    across, up = across[both], up[both]
    if len(across) < 3 or np.ptp(across) == 0 or np.ptp(up) == 0:
        return None
    sums = _moments(across, up, np.asarray(clusters)[both])
    low, high = (None if np.isnan(end) else end for end in bootstrap_interval(sums, _pearson, seed=seed, draws=draws))
    return Correlation(_estimate(sums, _pearson), low, high, len(across))


def _moments(x: ArrayLike, y: ArrayLike, clusters: ArrayLike) -> Floats:
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


class PairedDifference(NamedTuple):
    """Shares right before and after, the difference with its 95 % interval, and its exact test.

    ``gained`` and ``lost`` count the pairs whose value is higher, or lower, after than before; ``method`` names the
    interval, ``p`` is that of ``flip_test`` over clusters, and ``design_effect`` the number of pairs worth one
    independent pair.
    """

    pairs: int
    clusters: int
    share_before: float
    share_after: float
    difference: float
    low: float
    high: float
    method: str
    gained: int
    lost: int
    p: float
    design_effect: float


def paired_difference(
    before: ArrayLike, after: ArrayLike, clusters: ArrayLike, *, seed: int = 0, draws: int = DRAWS
) -> PairedDifference:
    """Estimate after minus before over pairs of values in 0 to 1; needs at least one pair.

    The interval is the BCa bootstrap over clusters (images). If fewer than ten clusters contain a differing pair, or
    all change equally, it is Newcombe's, which does not collapse to zero width in these cases.
    """
    first, second = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    change = second - first
    sums = cluster_sums(np.column_stack([change, change != 0, np.ones_like(change)]), clusters)
    method, ends = "bootstrap", (np.nan, np.nan)
    if np.count_nonzero(sums[:, 1]) >= LEAST_CLUSTERS:
        ends = bootstrap_interval(sums[:, [0, 2]], _ratio, seed=seed, draws=draws)
    if np.isnan(ends[0]):
        method, ends = "Newcombe", newcombe(first, second, len(sums))
    gained, lost = int((change > 0).sum()), int((change < 0).sum())
    return PairedDifference(
        len(change),
        len(sums),
        float(first.mean()),
        float(second.mean()),
        float(change.mean()),
        *ends,
        method,
        gained,
        lost,
        flip_test(sums[:, 0]),
        design_effect(change, clusters),
    )


def _ratio(totals: Floats) -> Floats:
    return np.asarray(totals[..., 0] / totals[..., 1])


def flip_test(changes: ArrayLike) -> float:
    """Return the two-sided p-value of a mean change of zero, by flipping the sign of each cluster's total change.

    All flips are counted, so the test is exact; totals count in steps of 1/60. With one pair of right or wrong per
    cluster, it is the exact McNemar test (McNemar 1947), and 1 if no pair differs.
    """
    steps = np.rint(60 * np.asarray(changes, dtype=float)).astype(int)
    steps = steps[steps != 0]
    if not len(steps):
        return 1.0
    steps //= np.gcd.reduce(steps)
    chances = np.zeros(np.abs(steps).sum() + 1)  # of each total of the steps that go up
    chances[0] = 1.0
    for step in np.abs(steps):
        chances[step:] = (chances[step:] + chances[:-step]) / 2
        chances[:step] /= 2
    fewer = min(steps[steps > 0].sum(), -steps[steps < 0].sum())
    return min(1.0, 2 * float(chances[: fewer + 1].sum()))


def newcombe(before: ArrayLike, after: ArrayLike, whole: int) -> tuple[float, float]:
    """Return the 95 % interval of after minus before by the square-and-add method (Newcombe 1998, method 10).

    ``whole`` is the effective number of pairs: the number of clusters, if smaller.
    """
    first, second = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    share, other = float(first.mean()), float(second.mean())
    (low, high), (other_low, other_high) = (wilson(part * whole, whole) for part in (share, other))
    phi = _phi(share, other, float((first * second).mean()), whole)
    down, up = other - other_low, other_high - other
    back, ahead = high - share, share - low
    difference = other - share
    return (
        difference - sqrt(max(down**2 - 2 * phi * down * back + back**2, 0.0)),
        difference + sqrt(max(up**2 - 2 * phi * up * ahead + ahead**2, 0.0)),
    )


def _phi(share: float, other: float, both: float, whole: int) -> float:
    spread = sqrt(max(share * (1 - share) * other * (1 - other), 0.0))
    together = both - share * other
    if together > 0:
        together = max(together - 1 / (2 * whole), 0.0)
    return together / spread if spread else 0.0


def holm(ps: ArrayLike) -> Floats:
    """Adjust the p-values of a family of tests to control the family-wise error rate (Holm 1979)."""
    raw = np.asarray(ps, dtype=float)
    order = np.argsort(raw, kind="stable")
    steps = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1))
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


ALPHA, POWER = 0.05, 0.8
_HALVINGS = 14
_TAIL = 1e-12  # of the distribution of differing pairs, left out on either side


def paired_power(pairs: int, discordance: float, difference: float) -> float:
    """Return the power of the exact McNemar test for a difference of two shares (Duffy 1984, unconditional).

    ``discordance`` is the share of pairs that differ, at least as large as the difference. The power is exact, without
    a normal approximation.
    """
    from scipy.stats import binom

    few, many = binom.ppf(_TAIL, pairs, discordance), binom.isf(_TAIL, pairs, discordance)
    differing = np.arange(few, many + 1)
    edge = binom.ppf(ALPHA / 2, differing, 0.5)
    edge -= binom.cdf(edge, differing, 0.5) > ALPHA / 2  # the test is significant up to this count
    rarer = (discordance - difference) / (2 * discordance)
    alarm = binom.cdf(edge, differing, rarer) + binom.cdf(edge, differing, 1 - rarer)
    return float(binom.pmf(differing, pairs, discordance) @ alarm)


@lru_cache(maxsize=4096)  # an evaluation has few distinct sizes and shares
def detectable_difference(pairs: int, discordance: float) -> float | None:
    """Return the smallest paired difference that is detected with 80 % power; None if none is."""
    if not pairs or not discordance or paired_power(pairs, discordance, discordance) < POWER:
        return None
    low, high = 0.0, discordance
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if paired_power(pairs, discordance, middle) >= POWER else (middle, high)
    return high


@lru_cache(maxsize=4096)
def pairs_needed(difference: float, discordance: float) -> int:
    """Return the number of pairs needed to detect a difference with 80 % power.

    A discordance smaller than the difference is raised to it. The power of an exact test is a sawtooth in the number of
    pairs; the result reaches it within the height of one tooth.
    """
    from scipy.stats import norm

    share = max(discordance, difference)
    tails = float(norm.ppf(1 - ALPHA / 2)) * sqrt(share) + float(norm.ppf(POWER)) * sqrt(share - difference**2)
    few, many = 0, ceil((tails / difference) ** 2)  # normal approximation of Connor 1987, too few
    while paired_power(many, share, difference) < POWER:
        few, many = many, many + ceil(many / 20)
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if paired_power(middle, share, difference) >= POWER else (middle, many)
    return many


def questions_needed(share: float, difference: float) -> int:
    """Return the size that each of two unpaired sets needs, given the first share (Fleiss 1981).

    The second share is lower than the first, or higher if there is no room below. This is a planning figure by the
    normal approximation, not a test.
    """
    from scipy.stats import norm

    other = share - difference if share >= difference else share + difference
    middle = (share + other) / 2
    alone, apart = sqrt(2 * middle * (1 - middle)), sqrt(share * (1 - share) + other * (1 - other))
    return ceil(((float(norm.ppf(1 - ALPHA / 2)) * alone + float(norm.ppf(POWER)) * apart) / difference) ** 2)
