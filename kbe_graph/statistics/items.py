"""Item statistics: how hard each question is, and how well it discriminates between models."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kbe_graph.statistics import paired

Floats = NDArray[np.float64]


class Correlation(NamedTuple):
    """Pearson's r over ``rows``, and its 95 % interval, None for fewer than ten images."""

    r: float
    low: float | None
    high: float | None
    rows: int


def difficulty(responses: Floats) -> Floats:
    """Return the share of failing models for each question, among those that answered; NaN if none did."""
    answered = (~np.isnan(responses)).sum(axis=0)
    return _ratio(np.nansum(1 - responses, axis=0), answered)


def failure_histogram(responses: Floats) -> tuple[int, ...]:
    """Count the questions that 0, 1, ... all models fail, among those that all answered (WikiVQABench)."""
    complete = responses[:, ~np.isnan(responses).any(axis=0)]
    failures = (1 - complete).sum(axis=0).astype(int)
    return tuple(np.bincount(failures, minlength=len(responses) + 1).tolist())


def item_rest(responses: Floats) -> Floats:
    """Correlate, over models, being right on each question with the share right on all others.

    NaN if all models do the same, or are equally good on the others; negative if better models fail more often.
    """
    counted = ~np.isnan(responses)
    right = np.nan_to_num(responses)
    others = counted.sum(axis=1, keepdims=True) - counted
    rest = _ratio(right.sum(axis=1, keepdims=True) - right, others)
    return _column_correlations(np.where(counted, responses, np.nan), np.where(counted, rest, np.nan))


def correlation(first: Floats, second: Floats, images: Sequence[str], *, seed: int = 0) -> Correlation | None:
    """Correlate two figures of the same rows, with a BCa bootstrap over images.

    Rows with NaN in either are ignored; None if fewer than three are left or a figure is constant.
    """
    both = ~(np.isnan(first) | np.isnan(second))
    x, y = first[both], second[both]
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    r, *ends = paired.correlation(x, y, np.asarray(images)[both], seed=seed)
    low, high = (None if np.isnan(end) else end for end in ends)
    return Correlation(r, low, high, len(x))


def _column_correlations(first: Floats, second: Floats) -> Floats:
    n = np.maximum((~np.isnan(first)).sum(axis=0), 1)
    x, y = (side - np.nansum(side, axis=0) / n for side in (first, second))
    squares = np.nansum(x * x, axis=0) * np.nansum(y * y, axis=0)
    return _ratio(np.nansum(x * y, axis=0), np.sqrt(np.where(squares < 1e-15, 0, squares)))


def _ratio(part: Floats, whole: Floats | NDArray[np.int_]) -> Floats:
    ratio: Floats = np.full(np.broadcast(part, whole).shape, np.nan)
    np.divide(part, whole, out=ratio, where=np.asarray(whole) > 0)
    return ratio
