"""Items: how hard each question is, whether it tells good models from bad ones, and the Rasch model."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kbe_graph.statistics import paired

Floats = NDArray[np.float64]


class Correlation(NamedTuple):
    """Pearson's r of so many rows, and its 95 % interval, which is None for fewer than ten images."""

    r: float
    low: float | None
    high: float | None
    rows: int


def difficulty(responses: Floats) -> Floats:
    """Return for each question the share of the models that fail it, of those that answered; NaN where none did."""
    answered = (~np.isnan(responses)).sum(axis=0)
    return _ratio(np.nansum(1 - responses, axis=0), answered)


def failure_histogram(responses: Floats) -> tuple[int, ...]:
    """Return the number of questions that 0, 1, ... all models fail, of those that all answered (WikiVQABench)."""
    complete = responses[:, ~np.isnan(responses).any(axis=0)]
    failures = (1 - complete).sum(axis=0).astype(int)
    return tuple(np.bincount(failures, minlength=len(responses) + 1).tolist())


def item_rest(responses: Floats) -> Floats:
    """Return for each question the correlation, over the models, of being right with the share right of the others.

    NaN where all models do the same, or the others are equally good; negative where better models rather fail.
    """
    counted = ~np.isnan(responses)
    right = np.nan_to_num(responses)
    others = counted.sum(axis=1, keepdims=True) - counted
    rest = _ratio(right.sum(axis=1, keepdims=True) - right, others)
    return _column_correlations(np.where(counted, responses, np.nan), np.where(counted, rest, np.nan))


def correlation(first: Floats, second: Floats, images: Sequence[str], *, seed: int = 0) -> Correlation | None:
    """Return the correlation of two figures of the same rows, by a bootstrap over images (BCa).

    Rows where either is NaN do not count; None where fewer than three are left or one figure is always the same.
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
    """Divide, with NaN instead of a division by nothing."""
    ratio: Floats = np.full(np.broadcast(part, whole).shape, np.nan)
    np.divide(part, whole, out=ratio, where=np.asarray(whole) > 0)
    return ratio


_WIDEST = 30.0  # logits within which a difficulty is sought


class Rasch(NamedTuple):
    """Abilities and their standard errors, a figure a model, centred on 0, and the difficulty by number of failures.

    A model that is always right, or never, stands at infinity, and its error is infinite too.
    """

    abilities: tuple[float, ...]
    errors: tuple[float, ...]
    difficulties: tuple[float, ...]


def rasch(responses: Floats) -> Rasch | None:
    """Return the fit to a matrix of 1 (right) and 0 without gaps, a row a model and a column a question.

    None where no scale holds the models together: there must be at least two that are neither always right nor always
    wrong, and no group of them that beats the others at each question (Fischer 1981).
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
    never = int((totals == 0).sum())  # models that fail each question say nothing of it
    return Rasch(
        tuple(abilities.tolist()),
        tuple(errors.tolist()),
        tuple(by_failures[min(max(failures - never, 0), len(fit))] for failures in range(len(responses) + 1)),
    )


def _is_connected(responses: Floats) -> bool:
    """Return True if a chain of questions leads from each model to each other, each right where the next is wrong."""
    from scipy.sparse.csgraph import connected_components

    wins = responses @ (1 - responses).T > 0
    return len(responses) > 1 and connected_components(wins, directed=True, connection="strong")[0] == 1


def _conditional_fit(responses: Floats) -> tuple[Floats, Floats]:
    from scipy.optimize import minimize

    models, questions = responses.shape
    counts = np.bincount(responses.sum(axis=0).astype(int), minlength=models + 1)
    totals = responses.sum(axis=1)

    def surprise(abilities: Floats) -> tuple[float, Floats]:
        """Return the negative log-likelihood a question and its gradient."""
        odds = np.exp(abilities - abilities.mean())
        likelihood = totals @ np.log(odds) - counts @ np.log(_symmetric(odds))
        gradient = totals - counts @ _shares(odds)
        return -likelihood / questions, -(gradient - gradient.mean()) / questions

    start = np.log(totals / (questions - totals))
    fit = minimize(surprise, start - start.mean(), jac=True, method="BFGS").x
    fit -= fit.mean()
    return fit, _errors(_information(np.exp(fit), counts))


def _symmetric(odds: Floats) -> Floats:
    """Return the elementary symmetric functions of the odds, of order 0 to their number."""
    functions = np.ones(1)
    for each in odds:
        functions = np.convolve(functions, [1.0, each])
    return functions


def _shares(odds: Floats) -> Floats:
    """Return for each number of right answers (a row) the chance that each model (a column) is among the right."""
    return np.column_stack([_chance(odds, [place]) for place in range(len(odds))])


def _chance(odds: Floats, places: list[int]) -> Floats:
    """Return for each number of right answers the chance that the models at these places are all among the right."""
    others = np.concatenate([np.zeros(len(places)), _symmetric(np.delete(odds, places))])
    return np.asarray(np.prod(odds[places]) * others / _symmetric(odds))


def _information(odds: Floats, counts: NDArray[np.int64]) -> Floats:
    shares = _shares(odds)
    information = np.empty((len(odds), len(odds)))
    for first in range(len(odds)):
        for second in range(first + 1):
            both = shares[:, first] if first == second else _chance(odds, [first, second])
            covariance = counts @ (both - shares[:, first] * shares[:, second])
            information[first, second] = information[second, first] = covariance
    return information


def _errors(information: Floats) -> Floats:
    """Return the standard errors of abilities that are centred, as no information is in their mean."""
    mean = np.full_like(information, np.trace(information) / len(information))
    return np.asarray(np.sqrt(np.diag(np.linalg.inv(information + mean)) - 1 / (mean[0, 0] * len(mean) ** 2)))


def _warm(failures: int, abilities: Floats) -> float:
    """Return the difficulty at which so many failures are expected, corrected for the bias of a short test."""
    from scipy.optimize import brentq
    from scipy.special import expit

    def excess(difficulty: float) -> float:
        """Return the excess of failures over those expected at a difficulty, with Warm's correction."""
        chance = expit(difficulty - abilities)
        variance = chance * (1 - chance)
        return float(failures - chance.sum() + (variance * (1 - 2 * chance)).sum() / (2 * variance.sum()))

    return float(brentq(excess, -_WIDEST, _WIDEST))
