"""Inter-rater agreement: percent, Cohen's or Fleiss' kappa, Krippendorff's alpha, Gwet's AC1, and correlation.

Ratings have one row per item and one column per rater, with None for a missing rating. Kappas, alpha and AC1 need the
extra ``figures``; without it their ``note`` says so.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from math import isnan, sqrt

import numpy as np

from kbe_graph.extras import missing_line
from kbe_graph.statistics.intervals import (
    DRAWS,
    NO_SPREAD,
    ONE_CLASS,
    Array,
    Measurement,
    mean_share,
    no_measurement,
    symmetric,
)

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
