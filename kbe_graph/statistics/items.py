"""Item statistics: how hard each question is, how well it discriminates between models, and the Rasch model."""

import warnings
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


_WIDEST = 30.0  # bounds of difficulties, in logits


class Rasch(NamedTuple):
    """Abilities and standard errors by model, centred on 0, and difficulties by number of failures.

    The ability of a model that is always or never right is infinite, and so is its error.
    """

    abilities: tuple[float, ...]
    errors: tuple[float, ...]
    difficulties: tuple[float, ...]


def rasch(responses: Floats) -> Rasch | None:
    """Fit the Rasch model to a complete matrix of 1 (right) and 0, one row per model and one column per question.

    None if the models have no common scale: there must be at least two that are neither always right nor always wrong,
    and no group of them that beats the others on every question (Fischer 1981).
    """
    totals = responses.sum(axis=1)
    between = (totals > 0) & (totals < responses.shape[1])
    if not _is_connected(responses[between]):
        return None
    fit, spread = _conditional_fit(responses[between])
    abilities = np.where(totals > 0, np.inf, -np.inf)
    errors = np.full(len(responses), np.inf)
    abilities[between], errors[between] = fit, spread
    by_failures = [_warm(failures, fit) for failures in range(len(fit) + 1)]
    never = int((totals == 0).sum())  # models that fail every question carry no information
    return Rasch(
        tuple(abilities.tolist()),
        tuple(errors.tolist()),
        tuple(by_failures[min(max(failures - never, 0), len(fit))] for failures in range(len(responses) + 1)),
    )


def _is_connected(responses: Floats) -> bool:
    from scipy.sparse.csgraph import connected_components

    wins = responses @ (1 - responses).T > 0
    return len(responses) > 1 and connected_components(wins, directed=True, connection="strong")[0] == 1


def _conditional_fit(responses: Floats) -> tuple[Floats, Floats]:
    from scipy.optimize import minimize

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of pandas 3, in statsmodels 0.14
        from statsmodels.tools.numdiff import approx_hess

    models, questions = responses.shape
    counts = np.bincount(responses.sum(axis=0).astype(int), minlength=models + 1)
    totals = responses.sum(axis=1)

    def surprise(abilities: Floats) -> float:
        odds = np.exp(abilities - abilities.mean())
        likelihood = totals @ np.log(odds) - counts @ np.log(_symmetric(odds))
        return float(-likelihood / questions)

    start = np.log(totals / (questions - totals))
    fit = minimize(surprise, start - start.mean(), method="BFGS").x
    fit -= fit.mean()
    return fit, _errors(questions * approx_hess(fit, surprise))


def _symmetric(odds: Floats) -> Floats:
    functions = np.ones(1)
    for each in odds:
        functions = np.convolve(functions, [1.0, each])
    return functions


def _errors(information: Floats) -> Floats:
    mean = np.full_like(information, np.trace(information) / len(information))
    return np.asarray(np.sqrt(np.diag(np.linalg.inv(information + mean)) - 1 / (mean[0, 0] * len(mean) ** 2)))


def _warm(failures: int, abilities: Floats) -> float:
    from scipy.optimize import brentq
    from scipy.special import expit

    def excess(difficulty: float) -> float:
        chance = expit(difficulty - abilities)
        variance = chance * (1 - chance)
        return float(failures - chance.sum() + (variance * (1 - 2 * chance)).sum() / (2 * variance.sum()))

    return float(brentq(excess, -_WIDEST, _WIDEST))
