"""Intervals of shares, of clustered answers (drawn by image), and of any measure by bootstrap; agreement of raters."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from math import isnan, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kbe_graph.extras import missing_line
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


def clustered_error(values: ArrayLike, clusters: ArrayLike) -> float | None:
    """Return the standard error of a mean of clustered values (Miller 2024, arXiv 2411.00640); None for one cluster."""
    own = np.asarray(values, dtype=float)
    sums = cluster_sums((own - own.mean())[:, None], clusters)
    return float(np.sqrt((sums**2).sum()) / len(own)) if len(sums) > 1 else None


def design_effect(values: ArrayLike, clusters: ArrayLike) -> float:
    """Return the number of clustered values worth one independent value, at least 1 (Kish 1965).

    A single cluster is worth one value.
    """
    own, error = np.asarray(values, dtype=float), clustered_error(values, clusters)
    if error is None:
        return float(len(own))
    alone = own.var() / len(own)
    return max(1.0, error**2 / alone) if alone else 1.0


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

    def in_words(self) -> str:
        """Format the value with its interval in brackets, shares as percentages; empty without a value."""
        if self.value is None:
            return ""
        places, factor = (1, 100) if self.measure in SHARES else (2, 1)
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


Ratings = Sequence[Sequence[str | None]]
NO_PAIR = "no item has two ratings"


def agreement(ratings: Ratings, classes: Sequence[str], *, seed: int = 0) -> tuple[Measurement, ...]:
    """Compute the agreement of raters with 95 % intervals: percent, kappa, alpha and AC1.

    Kappa is Cohen's (1960) for two columns, else Fleiss' (1971), over the items that all rated; the others use each
    item with two ratings. ``classes`` are all possible classes. Alpha's and Fleiss' intervals are bootstraps over items
    with this seed.
    """
    counts = _counts(ratings, classes)
    pairs = counts[counts.sum(axis=1) > 1]
    percent = mean_share("percent", _pair_agreement(pairs), NO_PAIR)
    return percent, _kappa(ratings, classes, seed), _alpha(pairs, seed), _ac1(counts)


def class_share(ratings: Ratings, name: str) -> Measurement:
    """Compute the share of a class among the ratings, 0 to 1, with equal weight for each item and Wilson's interval."""
    words = [[word for word in row if word is not None] for row in ratings]
    shares = [row.count(name) / len(row) for row in words if row]
    return mean_share("share", np.array(shares), "no item is rated")


def mean_correlation(ratings: Ratings, name: str, *, seed: int = 0) -> Measurement:
    """Compute the mean Pearson correlation of choosing a class over all pairs of raters, with a bootstrap over items.

    Pairs with a constant rater are left out. KBE reports this figure between annotators in appendix G.
    """
    codes = [[np.nan if word is None else float(word == name) for word in row] for row in ratings]
    rows = np.array(codes).reshape(len(codes), -1)

    def correlation(rows: Array) -> float:
        pairs = (rows[:, pair] for pair in combinations(range(rows.shape[1]), 2))
        rated = (pair[~np.isnan(pair).any(axis=1)] for pair in pairs)
        each = [np.corrcoef(pair.T)[0, 1] for pair in rated if len(pair) and np.ptp(pair, axis=0).all()]
        return float(np.mean(each)) if each else np.nan

    return _bootstrapped("Pearson", rows[(~np.isnan(rows)).sum(axis=1) > 1], correlation, seed)


def _counts(ratings: Ratings, classes: Sequence[str]) -> Array:
    counts = np.array([[list(row).count(name) for name in classes] for row in ratings], dtype=int)
    return counts.reshape(len(ratings), len(classes))


def _kappa(ratings: Ratings, classes: Sequence[str], seed: int) -> Measurement:
    raters = max(map(len, ratings), default=0)
    name = "Cohen's kappa" if raters == 2 else "Fleiss' kappa"
    rated = [row for row in ratings if raters > 1 and None not in row]
    if not rated:
        return no_measurement(name, 0, "no item is rated by all" if raters > 1 else NO_PAIR)
    if len({word for row in rated for word in row}) < 2:
        return no_measurement(name, len(rated), ONE_CLASS)
    if line := missing_line("figures"):
        return no_measurement(name, len(rated), line)
    from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

    if raters > 2:
        return _bootstrapped(name, _counts(rated, classes), fleiss_kappa, seed)
    table = Counter(map(tuple, rated))
    with np.errstate(invalid="ignore"):  # a variance that is 0 but for rounding
        kappa = cohens_kappa(np.array([[table[first, second] for second in classes] for first in classes]))
    return symmetric(name, float(kappa.kappa), float(np.nan_to_num(kappa.kappa_upp - kappa.kappa)), len(rated))


def _alpha(counts: Array, seed: int) -> Measurement:
    if line := missing_line("figures"):
        return no_measurement("alpha", len(counts), line)
    from krippendorff import alpha

    return _bootstrapped("alpha", counts, lambda drawn: alpha(value_counts=drawn, level_of_measurement="nominal"), seed)


def _ac1(counts: Array) -> Measurement:
    counts = counts[counts.sum(axis=1) > 0]
    several = counts.sum(axis=1) > 1
    number, kinds = int(several.sum()), counts.shape[1]
    if not number or kinds < 2:
        return no_measurement("AC1", number, ONE_CLASS if number else NO_PAIR)
    shares = counts / counts.sum(axis=1)[:, None]
    mean = shares.mean(axis=0)
    chance = float((mean * (1 - mean)).sum()) / (kinds - 1)
    pairs = np.where(several, _pair_agreement(counts), 0) * len(counts) / number
    ac1 = float((pairs.mean() - chance) / (1 - chance))
    line = NO_SPREAD if number < 2 else missing_line("figures")
    if line:
        return no_measurement("AC1", number, line, ac1)
    from scipy.stats import t

    by_item = (pairs - chance * several * len(counts) / number) / (1 - chance)
    own_chance = (shares * (1 - mean)).sum(axis=1) / (kinds - 1)
    by_item = by_item - 2 * (1 - ac1) * (own_chance - chance) / (1 - chance)
    error = sqrt(float(((by_item - ac1) ** 2).sum()) / (len(counts) * (len(counts) - 1)))
    return symmetric("AC1", ac1, float(t.ppf(0.975, len(counts) - 1)) * error, number)


def _bootstrapped(name: str, rows: Array, statistic: Callable[[Array], float], seed: int) -> Measurement:
    def value_of(drawn: Array) -> float:
        differs = rows.dtype.kind == "f" or np.count_nonzero(drawn.any(axis=0)) > 1
        return float(statistic(drawn)) if differs else np.nan

    if not len(rows):
        return no_measurement(name, 0, NO_PAIR)
    value = value_of(rows)
    if isnan(value):
        return no_measurement(name, len(rows), ONE_CLASS)
    places = np.random.default_rng(seed).integers(len(rows), size=(DRAWS, len(rows)))
    values = np.array([value_of(rows[drawn]) for drawn in places])
    values = values[~np.isnan(values)]
    if not len(values) or np.ptp(values) < 1e-12:
        return no_measurement(name, len(rows), NO_SPREAD, value)
    low, high = np.quantile(values, [0.025, 0.975])
    return Measurement(name, value, float(low), float(high), len(rows))


def _pair_agreement(counts: Array) -> Array:
    raters = counts.sum(axis=1)
    agreeing: Array = (counts * (counts - 1)).sum(axis=1) / np.maximum(raters * (raters - 1), 1)
    return agreeing
