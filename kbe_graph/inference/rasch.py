"""The Rasch model: how able each model is and how hard each question, on one scale of logits.

Here models are few and questions many, so the questions' parameters are what would bias a joint fit. They are
conditioned away: by how many models a question is answered right, which says all about its difficulty, the models'
abilities are fitted by conditional maximum likelihood (Andersen 1970, with models and questions changed over), which
is right in the limit of many questions however few the models are. The difficulty that belongs to each number of
failures then is Warm's weighted likelihood estimate (1989), which is finite where all models or none are right.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
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
    """Return whether a chain of questions leads from each model to each other, each right where the next is wrong."""
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
    """Return the difficulty at which so many failures are what is expected, corrected for the bias of a short test."""
    from scipy.optimize import brentq
    from scipy.special import expit

    def excess(difficulty: float) -> float:
        """Return how many more fail than is expected at a difficulty, with Warm's correction, whose root is sought."""
        chance = expit(difficulty - abilities)
        variance = chance * (1 - chance)
        return float(failures - chance.sum() + (variance * (1 - 2 * chance)).sum() / (2 * variance.sum()))

    return float(brentq(excess, -_WIDEST, _WIDEST))
