"""Inter-rater agreement: percent, Cohen's and Fleiss' kappa, Krippendorff's alpha, Gwet's AC1, and by class.

Ratings have one row per item and one column per rater, with None for a missing rating. Kappas, alpha and AC1 need the
extra ``figures``; without it their ``note`` says so.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import isnan, sqrt
from typing import Literal, NamedTuple

import numpy as np

from kbe_graph.errors import InputError
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
Level = Literal["nominal", "ordinal"]

NO_PAIR = "no item has two ratings"
NO_ITEM = "no item is rated"
NOT_COMPLETE = "no item is rated by all"
_REST = "\0rest"


def percent(ratings: Ratings) -> Measurement:
    """Compute the mean share of agreeing pairs of raters per item, 0 to 1.

    The interval is Wilson's over items, which is conservative for items with more than one pair. Raises InputError.
    """
    return mean_share("percent", _pair_agreement(_counts(ratings, (), least=2)), NO_PAIR)


def class_share(ratings: Ratings, name: str) -> Measurement:
    """Compute the share of a class among the ratings, 0 to 1, with equal weight for each item.

    The interval is Wilson's over items, which is conservative for items with several ratings. Raises InputError.
    """
    counts = _counts(one_against_rest(ratings, name), (name, _REST), least=1)
    return mean_share("share", counts[:, 0] / counts.sum(axis=1), NO_ITEM)


def class_agreement(ratings: Ratings, name: str, *, seed: int = 0) -> Measurement:
    """Compute the share of other raters that agree on a class, 0 to 1, with a bootstrap over items.

    For two raters this is the positive (or negative) agreement of Cicchetti and Feinstein (1990), for more the
    conditional share of Fleiss (1971). Raises InputError.
    """
    counts = _counts(one_against_rest(ratings, name), (name, _REST), least=2)

    def agreement(counts: Array) -> float:
        own, raters = counts[:, 0], counts.sum(axis=1)
        return float((own * (own - 1) / (raters - 1)).sum() / own.sum()) if own.any() else np.nan

    return _bootstrapped(f"agreement on {name}", counts, agreement, NO_PAIR, seed)


def one_against_rest(ratings: Ratings, name: str) -> Ratings:
    """Merge all other classes, so that any measure can be computed for one class."""
    return [[None if rating is None else name if rating == name else _REST for rating in row] for row in ratings]


def cohen_kappa(ratings: Ratings) -> Measurement:
    """Compute Cohen's kappa (1960) over the items that both raters rated, with its asymptotic interval.

    Raises InputError unless there are two raters.
    """
    name = "Cohen's kappa"
    codes, classes = _codes(ratings, ())
    if codes.shape[1] != 2:
        raise InputError(f"{name} needs two raters; found {codes.shape[1]}; use Fleiss' kappa or AC1")
    codes = codes[(codes >= 0).all(axis=1)]
    if not len(codes):
        return no_measurement(name, 0, NOT_COMPLETE)
    if len(np.unique(codes)) < 2:
        return no_measurement(name, len(codes), ONE_CLASS)
    if line := missing_line("figures"):
        return no_measurement(name, len(codes), line)
    from statsmodels.stats.inter_rater import cohens_kappa

    table = np.zeros((len(classes), len(classes)))
    np.add.at(table, (codes[:, 0], codes[:, 1]), 1)
    kappa = cohens_kappa(table)
    return symmetric(name, float(kappa.kappa), float(np.nan_to_num(kappa.kappa_upp - kappa.kappa)), len(codes))


def fleiss_kappa(ratings: Ratings, *, seed: int = 0) -> Measurement:
    """Compute Fleiss' kappa (1971) over the items that all raters rated, with a bootstrap over items.

    Raises InputError.
    """
    raters = max(map(len, ratings), default=0)
    counts = _counts(ratings, (), least=max(raters, 2))
    if line := missing_line("figures"):
        return no_measurement("Fleiss' kappa", len(counts), line)
    from statsmodels.stats.inter_rater import fleiss_kappa as kappa

    def kappa_of(counts: Array) -> float:
        return float(kappa(counts)) if _differ(counts) else np.nan

    return _bootstrapped("Fleiss' kappa", counts, kappa_of, NOT_COMPLETE if raters > 1 else NO_PAIR, seed)


def krippendorff_alpha(
    ratings: Ratings, *, classes: Sequence[str] = (), level: Level = "nominal", seed: int = 0
) -> Measurement:
    """Compute Krippendorff's alpha (2011) over the items with at least two ratings, with a bootstrap over items.

    ``classes`` gives the order for the ordinal ``level``; by default they are sorted. Raises InputError.
    """
    name = "alpha" if level == "nominal" else "ordinal alpha"
    counts = _counts(ratings, classes, least=2)
    if line := missing_line("figures"):
        return no_measurement(name, len(counts), line)
    from krippendorff import alpha

    def alpha_of(counts: Array) -> float:
        return float(alpha(value_counts=counts, level_of_measurement=level)) if _differ(counts) else np.nan

    return _bootstrapped(name, counts, alpha_of, NO_PAIR, seed)


def gwet_ac1(ratings: Ratings, *, classes: Sequence[str] = ()) -> Measurement:
    """Compute Gwet's AC1 (2008), which stays valid for rare classes, over the items with at least two ratings.

    ``classes`` are all possible classes, by default those that occur. The interval is Gwet's own, by Student's t.
    Raises InputError.
    """
    counts = _counts(ratings, classes, least=1)
    several = counts.sum(axis=1) > 1
    number, kinds = int(several.sum()), counts.shape[1]
    if not number or kinds < 2:
        return no_measurement("AC1", number, ONE_CLASS if number else NO_PAIR)
    shares = counts / counts.sum(axis=1)[:, None]
    mean = shares.mean(axis=0)
    chance = float((mean * (1 - mean)).sum()) / (kinds - 1)
    pairs = np.where(several, _pair_agreement(counts), 0) * len(counts) / number
    ac1 = float((pairs.mean() - chance) / (1 - chance))
    if number < 2:
        return no_measurement("AC1", number, NO_SPREAD, ac1)
    if line := missing_line("figures"):
        return no_measurement("AC1", number, line, ac1)
    from scipy.stats import t

    by_item = (pairs - chance * several * len(counts) / number) / (1 - chance)
    own_chance = (shares * (1 - mean)).sum(axis=1) / (kinds - 1)
    by_item = by_item - 2 * (1 - ac1) * (own_chance - chance) / (1 - chance)
    error = sqrt(float(((by_item - ac1) ** 2).sum()) / (len(counts) * (len(counts) - 1)))
    return symmetric("AC1", ac1, float(t.ppf(0.975, len(counts) - 1)) * error, number)


def mean_correlation(ratings: Ratings, name: str, *, seed: int = 0) -> Measurement:
    """Compute the mean Pearson correlation of choosing a class over all pairs of raters, with a bootstrap over items.

    Pairs with a constant rater are left out. KBE reports this figure between annotators in appendix G. Raises
    InputError.
    """
    codes, _ = _codes(one_against_rest(ratings, name), (name, _REST))
    rows = np.where(codes < 0, np.nan, codes)[(codes >= 0).sum(axis=1) > 1]

    def correlation(rows: Array) -> float:
        pairs = (rows[:, pair] for pair in combinations(range(rows.shape[1]), 2))
        rated = (pair[~np.isnan(pair).any(axis=1)] for pair in pairs)
        each = [np.corrcoef(pair.T)[0, 1] for pair in rated if len(pair) and np.ptp(pair, axis=0).all()]
        return float(np.mean(each)) if each else np.nan

    return _bootstrapped("Pearson", rows, correlation, NO_PAIR, seed)


class AgreementRow(NamedTuple):
    """Agreement of two or more raters by one measure; an undefined figure is None, explained by ``note``."""

    between: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    note: str = ""


def agreement_rows(
    between: str, ratings: Ratings, classes: Sequence[str], *, same_two: bool = True, seed: int = 0
) -> Iterator[AgreementRow]:
    """Yield the agreement of raters by each measure, then on each class.

    Two raters are compared by Cohen's kappa, more by Fleiss'. Two columns are compared by Fleiss' if they are not the
    ``same_two`` people for every item.
    """
    two = same_two and max(map(len, ratings), default=0) == 2
    measurements: tuple[Measurement, ...] = (
        percent(ratings),
        cohen_kappa(ratings) if two else fleiss_kappa(ratings, seed=seed),
        krippendorff_alpha(ratings, classes=classes, seed=seed),
        gwet_ac1(ratings, classes=classes),
        *(class_agreement(ratings, name, seed=seed) for name in classes),
    )
    return (AgreementRow(between, *measurement) for measurement in measurements)


def majority(words: Iterable[str]) -> str | None:
    """Return the most frequent word, None on a tie or without words."""
    first, second = (*Counter(words).most_common(2), None, None)[:2]
    return first[0] if first and (second is None or second[1] < first[1]) else None


def _bootstrapped(name: str, rows: Array, statistic: Callable[[Array], float], reason: str, seed: int) -> Measurement:
    if not len(rows):
        return no_measurement(name, 0, reason)
    value = float(statistic(rows))
    if isnan(value):
        return no_measurement(name, len(rows), ONE_CLASS)
    places = np.random.default_rng(seed).integers(len(rows), size=(DRAWS, len(rows)))
    values = np.array([statistic(rows[drawn]) for drawn in places])
    values = values[~np.isnan(values)]
    if not len(values) or np.ptp(values) < 1e-12:
        return no_measurement(name, len(rows), NO_SPREAD, value)
    low, high = np.quantile(values, [0.025, 0.975])
    return Measurement(name, value, float(low), float(high), len(rows))


def _codes(ratings: Ratings, classes: Sequence[str]) -> tuple[Array, Sequence[str]]:
    names = sorted({rating for row in ratings for rating in row if rating is not None})
    classes = classes or names
    if strangers := [name for name in names if name not in classes]:
        raise InputError(f"no class {strangers[0]!r}; the classes are {', '.join(map(repr, classes))}")
    if len({len(row) for row in ratings}) > 1:
        raise InputError("rows of ratings differ in length; use None for a missing rating")
    number = {name: place for place, name in enumerate(classes)}
    codes = [[-1 if rating is None else number[rating] for rating in row] for row in ratings]
    return np.array(codes, dtype=int).reshape(len(codes), max(map(len, codes), default=0)), classes


def _counts(ratings: Ratings, classes: Sequence[str], *, least: int) -> Array:
    codes, classes = _codes(ratings, classes)
    counts: Array = (codes[:, :, None] == np.arange(len(classes))).sum(axis=1)
    enough: Array = counts[counts.sum(axis=1) >= least]
    return enough


def _differ(counts: Array) -> bool:
    return bool(np.count_nonzero(counts.any(axis=0)) > 1)


def _pair_agreement(counts: Array) -> Array:
    raters = counts.sum(axis=1)
    agreeing: Array = (counts * (counts - 1)).sum(axis=1) / np.maximum(raters * (raters - 1), 1)
    return agreeing
