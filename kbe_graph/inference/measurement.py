"""A measure with its interval: over draws of items, of shares, or around a value; or why there is none."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kbe_graph.inference.shares import wilson

Array = NDArray[Any]
OfSums = Callable[[Array], Array]  # what a measure makes of sums, of one draw or of many
DRAWS = 2_000
AT_ONCE = 100  # draws; more of them would fill the memory where there are many items
ONE_CLASS = "all ratings are of one class, so that chance explains their agreement"
NO_SPREAD = "no two items differ in it, so that they give no interval"


class Measurement(NamedTuple):
    """A measure with its 95 % interval, over so many items; None where there is none, and ``note`` says why."""

    measure: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    note: str = ""


def bootstrap(name: str, rows: Array, of: OfSums, reason: str, draws: int, seed: int) -> Measurement:
    """Return a measure of the sums of the rows, with the percentile interval over draws of rows."""
    if not len(rows):
        return no_measurement(name, 0, reason)
    value = float(of(rows.sum(axis=0)))
    if np.isnan(value):
        return no_measurement(name, len(rows), ONE_CLASS)
    generator = np.random.default_rng(seed)
    even = np.full(len(rows), 1 / len(rows))
    parts = [min(AT_ONCE, draws - start) for start in range(0, draws, AT_ONCE)]
    drawn = [of(generator.multinomial(len(rows), even, size=part) @ rows) for part in parts]
    values = np.concatenate([np.empty(0), *drawn])
    values = values[~np.isnan(values)]
    if not len(values) or np.ptp(values) < 1e-12:
        return no_measurement(name, len(rows), NO_SPREAD, value)
    low, high = np.quantile(values, [0.025, 0.975])
    return Measurement(name, value, float(low), float(high), len(rows))


def mean_share(name: str, shares: Array, reason: str) -> Measurement:
    """Return the mean of the shares of items, with the interval that shares of 0 and 1 alone would have."""
    if not len(shares):
        return no_measurement(name, 0, reason)
    whole = float(shares.sum())
    return Measurement(name, whole / len(shares), *wilson(whole, len(shares)), len(shares))


def symmetric(name: str, value: float, half: float, items: int) -> Measurement:
    """Return a measure with an interval around it, cut at -1 and 1."""
    if half < 1e-12:
        return no_measurement(name, items, NO_SPREAD, value)
    return Measurement(name, value, max(value - half, -1.0), min(value + half, 1.0), items)


def no_measurement(name: str, items: int, note: str, value: float | None = None) -> Measurement:
    """Return a measure without an interval, and without a value where none is given; ``note`` says why."""
    return Measurement(name, value, None, None, items, note)
