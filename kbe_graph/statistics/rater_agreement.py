"""Inter-rater agreement: percent, Cohen's and Fleiss' kappa, Krippendorff's alpha, Gwet's AC1, and by class.

Ratings have one row per item and one column per rater, with None for a missing rating. Each measure is computed from
sums over items, so that a bootstrap over items is a matrix product.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np

from kbe_graph.errors import InputError
from kbe_graph.extras import require_extra
from kbe_graph.statistics.intervals import (
    DRAWS,
    NO_SPREAD,
    ONE_CLASS,
    Array,
    Measurement,
    bootstrap,
    mean_share,
    no_measurement,
    symmetric,
)

Ratings = Sequence[Sequence[str | None]]
Level = Literal["nominal", "ordinal"]

NO_PAIR = "no item has two ratings"
NO_ITEM = "no item is rated"
NOT_COMPLETE = "no item is rated by all"


def percent(ratings: Ratings) -> Measurement:
    """Compute the mean share of agreeing pairs of raters per item, 0 to 1.

    The interval is Wilson's over items, which is conservative for items with more than one pair. Raises InputError.
    """
    counts = _counts(ratings, ())
    pairs = _pair_agreement(counts[counts.sum(axis=1) > 1])
    return mean_share("percent", pairs, NO_PAIR)


def class_share(ratings: Ratings, name: str) -> Measurement:
    """Compute the share of a class among the ratings, 0 to 1, with equal weight for each item.

    The interval is Wilson's over items, which is conservative for items with several ratings. Raises InputError.
    """
    counts = _counts(one_against_rest(ratings, name), (name, _REST))
    counts = counts[counts.sum(axis=1) > 0]
    return mean_share("share", counts[:, 0] / counts.sum(axis=1), NO_ITEM)


def class_agreement(ratings: Ratings, name: str, *, draws: int = DRAWS, seed: int = 0) -> Measurement:
    """Compute the share of other raters that agree on a class, 0 to 1, with a bootstrap over items.

    For two raters this is the positive (or negative) agreement of Cicchetti and Feinstein (1990), for more the
    conditional share of Fleiss (1971). Raises InputError.
    """
    counts = _counts(one_against_rest(ratings, name), (name, _REST))
    counts = counts[counts.sum(axis=1) > 1]
    own, raters = counts[:, 0], counts.sum(axis=1)
    sums = np.column_stack([own * (own - 1) / (raters - 1), own])
    return bootstrap(f"agreement on {name}", sums, _part, NO_PAIR, draws, seed)


def one_against_rest(ratings: Ratings, name: str) -> Ratings:
    """Merge all other classes, so that any measure can be computed for one class."""
    return [[None if rating is None else name if rating == name else _REST for rating in row] for row in ratings]


def cohen_kappa(ratings: Ratings) -> Measurement:
    """Compute Cohen's kappa (1960) over the items that both raters rated.

    The interval is the asymptotic one of Fleiss, Cohen and Everitt (1969). Raises InputError unless there are two
    raters.
    """
    codes, classes = _codes(ratings, ())
    if codes.shape[1] != 2:
        raise InputError(f"Cohen's kappa needs two raters; found {codes.shape[1]}; use Fleiss' kappa or AC1")
    codes = codes[(codes >= 0).all(axis=1)]
    if not len(codes):
        return no_measurement("Cohen's kappa", 0, NOT_COMPLETE)
    table = np.zeros((len(classes), len(classes)))
    np.add.at(table, (codes[:, 0], codes[:, 1]), 1 / len(codes))
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    chance = float(rows @ columns)
    kappa = float(_beyond_chance(np.trace(table), np.array(chance)))
    if np.isnan(kappa):
        return no_measurement("Cohen's kappa", len(codes), ONE_CLASS)
    on = float((np.diag(table) * (1 - (rows + columns) * (1 - kappa)) ** 2).sum())
    both = (columns[:, None] + rows[None, :]) ** 2 * table
    off = float(both.sum() - np.trace(both)) * (1 - kappa) ** 2
    variance = (on + off - (kappa - chance * (1 - kappa)) ** 2) / ((1 - chance) ** 2 * len(codes))
    return symmetric("Cohen's kappa", kappa, 1.959964 * sqrt(max(variance, 0)), len(codes))


def fleiss_kappa(ratings: Ratings, *, draws: int = DRAWS, seed: int = 0) -> Measurement:
    """Compute Fleiss' kappa (1971) over the items that all raters rated, with a bootstrap over items.

    Raises InputError.
    """
    counts = _counts(ratings, ())
    raters = max(map(len, ratings), default=0)
    counts = counts[counts.sum(axis=1) == raters]
    sums = np.column_stack([_with_ones(_pair_agreement(counts)), counts / max(raters, 1)])
    reason = NOT_COMPLETE if raters > 1 else NO_PAIR
    return bootstrap("Fleiss' kappa", sums if raters > 1 else sums[:0], _fleiss, reason, draws, seed)


def _fleiss(sums: Array) -> Array:
    shares = sums[..., 2:] / sums[..., 1:2]
    return _beyond_chance(sums[..., 0] / sums[..., 1], (shares**2).sum(axis=-1))


def krippendorff_alpha(
    ratings: Ratings, *, classes: Sequence[str] = (), level: Level = "nominal", draws: int = DRAWS, seed: int = 0
) -> Measurement:
    """Compute Krippendorff's alpha (2011) over the items with at least two ratings, with a bootstrap over items.

    ``classes`` gives the order for the ordinal ``level``; by default they are sorted. Raises InputError.
    """
    counts = _counts(ratings, classes)
    counts = counts[counts.sum(axis=1) > 1]
    same = counts[:, :, None] * np.eye(counts.shape[1])
    coincidences = (counts[:, :, None] * counts[:, None, :] - same) / (counts.sum(axis=1) - 1)[:, None, None]
    name = "alpha" if level == "nominal" else "ordinal alpha"
    sums = coincidences.reshape(len(counts), counts.shape[1] ** 2)
    return bootstrap(name, sums, lambda sums: _alpha(sums, counts.shape[1], level), NO_PAIR, draws, seed)


def _alpha(sums: Array, classes: int, level: Level) -> Array:
    coincidences = sums.reshape(*sums.shape[:-1], classes, classes)
    margins = coincidences.sum(axis=-1)
    whole = margins.sum(axis=-1)
    distance = _distance(margins, level)
    observed = (coincidences * distance).sum(axis=(-1, -2))
    expected = (margins[..., :, None] * margins[..., None, :] * distance).sum(axis=(-1, -2))
    return 1 - _ratio(observed * (whole - 1), expected)


def _distance(margins: Array, level: Level) -> Array:
    """Return the squared distance between every two classes."""
    if level == "nominal":
        return 1 - np.eye(margins.shape[-1])
    middles = margins.cumsum(axis=-1) - margins / 2  # the mean rank of a class
    distance: Array = (middles[..., :, None] - middles[..., None, :]) ** 2
    return distance


def gwet_ac1(ratings: Ratings, *, classes: Sequence[str] = ()) -> Measurement:
    """Compute Gwet's AC1 (2008), which stays valid for rare classes, over the items with at least two ratings.

    ``classes`` are all possible classes, by default those that occur. The interval is Gwet's own, by Student's t.
    Raises InputError.
    """
    counts = _counts(ratings, classes)
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
    if number < 2:
        return no_measurement("AC1", number, NO_SPREAD, ac1)
    by_item = (pairs - chance * several * len(counts) / number) / (1 - chance)
    own_chance = (shares * (1 - mean)).sum(axis=1) / (kinds - 1)
    by_item = by_item - 2 * (1 - ac1) * (own_chance - chance) / (1 - chance)
    error = sqrt(float(((by_item - ac1) ** 2).sum()) / (len(counts) * (len(counts) - 1)))
    require_extra("statistics")
    from scipy.stats import t

    return symmetric("AC1", ac1, float(t.ppf(0.975, len(counts) - 1)) * error, number)


def mean_correlation(ratings: Ratings, name: str, *, draws: int = DRAWS, seed: int = 0) -> Measurement:
    """Compute the mean Pearson correlation of choosing a class over all pairs of raters, with a bootstrap over items.

    Pairs with a constant rater are left out. KBE reports this figure between annotators in appendix G. Raises
    InputError.
    """
    codes, _ = _codes(one_against_rest(ratings, name), (name, _REST))
    pairs = list(combinations(range(codes.shape[1]), 2))
    rated = (codes >= 0).sum(axis=1) > 1
    sums = [_products(codes[rated, first], codes[rated, second]) for first, second in pairs]
    rows = np.stack(sums, axis=1).reshape(int(rated.sum()), -1) if pairs else np.empty((0, 0))
    return bootstrap("Pearson", rows, _correlation, NO_PAIR, draws, seed)


def _products(first: Array, second: Array) -> Array:
    """Return the sums for correlating two raters: both rated, first chose the class, second did, both did."""
    both, says, agrees = (first >= 0) & (second >= 0), first == 0, second == 0
    return np.column_stack([both, both & says, both & agrees, both & says & agrees]).astype(float)


def _correlation(sums: Array) -> Array:
    number, first, second, both = np.moveaxis(sums.reshape(*sums.shape[:-1], -1, 4), -1, 0)
    spread = (number * first - first**2) * (number * second - second**2)
    each = _ratio(number * both - first * second, np.sqrt(np.maximum(spread, 0)))
    defined = ~np.isnan(each)
    return _ratio(np.where(defined, each, 0).sum(axis=-1), defined.sum(axis=-1))


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


_REST = "\0rest"


def _codes(ratings: Ratings, classes: Sequence[str]) -> tuple[Array, Sequence[str]]:
    """Encode the ratings as class numbers, -1 if missing; also returns the classes."""
    names = sorted({rating for row in ratings for rating in row if rating is not None})
    classes = classes or names
    if strangers := [name for name in names if name not in classes]:
        raise InputError(f"no class {strangers[0]!r}; the classes are {', '.join(map(repr, classes))}")
    if len({len(row) for row in ratings}) > 1:
        raise InputError("rows of ratings differ in length; use None for a missing rating")
    number = {name: place for place, name in enumerate(classes)}
    codes = [[-1 if rating is None else number[rating] for rating in row] for row in ratings]
    return np.array(codes, dtype=int).reshape(len(codes), max(map(len, codes), default=0)), classes


def _counts(ratings: Ratings, classes: Sequence[str]) -> Array:
    """Count the ratings of each class per item."""
    codes, classes = _codes(ratings, classes)
    counts: Array = (codes[:, :, None] == np.arange(len(classes))).sum(axis=1)
    return counts


def _pair_agreement(counts: Array) -> Array:
    """Return the share of agreeing pairs per item, NaN for fewer than two ratings."""
    raters = counts.sum(axis=1)
    return _ratio((counts * (counts - 1)).sum(axis=1), raters * (raters - 1))


def _with_ones(values: Array) -> Array:
    return np.column_stack([values, np.ones(len(values))])


def _ratio(part: Array, whole: Array) -> Array:
    """Divide, with NaN for a zero divisor."""
    whole = np.asarray(whole, dtype=float)
    ratio: Array = np.divide(part, whole, out=np.full(whole.shape, np.nan), where=np.abs(whole) > 1e-12)
    return ratio


def _part(sums: Array) -> Array:
    """Return the ratio of the first sum to the second."""
    return _ratio(sums[..., 0], sums[..., 1])


def _beyond_chance(agreement: Array, chance: Array) -> Array:
    return _ratio(agreement - chance, 1 - chance)
