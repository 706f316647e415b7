"""Differential item functioning: whether one thing is harder for one of two groups than its total score says.

Here the one thing is a model, the groups are the published wording and the paraphrase, and who takes the test are the
questions in either wording: a question's total score, by how many models it is answered right, says how easy it is.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DELTA = -2.35  # from log odds to the delta scale of the Educational Testing Service
_Z = 1.959963984540054
_STEPS = 25
_STILL = 1e-9
_RIDGE = 1e-9  # so that a step can be made where the rows are told apart wholly


class CommonOdds(NamedTuple):
    """The odds ratio that two groups have in all strata, its 95 % interval, and the test that it is 1.

    ``delta`` is it on the scale of the Educational Testing Service, ``ets`` the class there: A (no difference to speak
    of), B (some), C (large). The ratio is infinite, or 0, where one group is always right at equal score; its interval
    is then all that can be, and the class is empty.
    """

    ratio: float
    low: float
    high: float
    chi2: float
    p: float
    delta: float
    ets: str


class LogisticDif(NamedTuple):
    """Likelihood ratio tests by logistic regression, each with one degree of freedom (Swaminathan and Rogers 1990).

    ``log_odds`` is by how much the group moves all alike; ``uniform_p`` tests that, ``nonuniform_p`` whether the group
    matters more at one score than at another; ``r2`` is Nagelkerke's share that both explain.
    """

    log_odds: float
    uniform_p: float
    nonuniform_p: float
    r2: float


def strata_tables(right: Floats, is_reference: NDArray[np.bool_], scores: Floats) -> Floats:
    """Return a 2 x 2 table for each score that is there: rows reference and other group, columns right and wrong."""
    return np.array(
        [
            [
                [(right[rows] == 1).sum(), (right[rows] == 0).sum()]
                for rows in (same & is_reference, same & ~is_reference)
            ]
            for same in (scores == score for score in np.unique(scores))
        ],
        dtype=float,
    )


def mantel_haenszel(tables: Floats) -> CommonOdds | None:
    """Return the common odds ratio of the tables (Mantel and Haenszel 1959), None where no table holds both groups.

    The interval is of Robins, Breslow and Greenland (1986), the test is without continuity correction; both take the
    rows for independent.
    """
    from scipy.stats import chi2 as chi2_law

    (a, b), (c, d) = tables.transpose(1, 2, 0)
    n = tables.sum(axis=(1, 2))
    a, b, c, d, n = (cells[n > 1] for cells in (a, b, c, d, n))
    r, s = a * d / n, b * c / n
    variance = ((a + b) * (c + d) * (a + c) * (b + d) / (n * n * (n - 1))).sum()
    if variance == 0:
        return None
    chi2 = float((a - (a + b) * (a + c) / n).sum() ** 2 / variance)
    p = float(chi2_law.sf(chi2, 1))
    if r.sum() == 0 or s.sum() == 0:
        return CommonOdds(np.inf if r.sum() else 0.0, 0.0, np.inf, chi2, p, -np.inf if r.sum() else np.inf, "")
    log_odds, error = float(np.log(r.sum() / s.sum())), _error(r, s, (a + d) / n, (b + c) / n)
    low, high = (float(np.exp(log_odds + sign * _Z * error)) for sign in (-1, 1))
    delta = _DELTA * log_odds
    return CommonOdds(float(np.exp(log_odds)), low, high, chi2, p, delta, _ets(delta, -_DELTA * error, p))


def _error(r: Floats, s: Floats, agreeing: Floats, other: Floats) -> float:
    """Return the standard error of the log of the common odds ratio."""
    r_sum, s_sum = r.sum(), s.sum()
    mixed = (agreeing * s + other * r).sum() / (2 * r_sum * s_sum)
    return float(np.sqrt((agreeing * r).sum() / (2 * r_sum**2) + mixed + (other * s).sum() / (2 * s_sum**2)))


def _ets(delta: float, error: float, p: float) -> str:
    """Return the class: A below 1 or not surely other than 0, C from 1.5 on and surely above 1, else B."""
    if abs(delta) < 1 or p >= 0.05:
        return "A"
    return "C" if abs(delta) >= 1.5 and abs(delta) - 1.645 * error > 1 else "B"


def logistic_dif(right: Floats, is_reference: NDArray[np.bool_], scores: Floats) -> LogisticDif | None:
    """Return the tests for a group's effect beyond the score; None where all rows are right, or all wrong."""
    from scipy.stats import chi2 as chi2_law

    if np.ptp(right) == 0 or np.ptp(is_reference.astype(int)) == 0:
        return None
    group = is_reference.astype(float)
    score = (scores - scores.mean()) / (scores.std() or 1.0)
    ones = np.ones_like(group)
    empty, _ = _logit_fit(right, ones[:, None])
    plain, _ = _logit_fit(right, np.column_stack([ones, score]))
    uniform, coefficients = _logit_fit(right, np.column_stack([ones, score, group]))
    both, _ = _logit_fit(right, np.column_stack([ones, score, group, score * group]))
    uniform_p, nonuniform_p = chi2_law.sf([2 * (uniform - plain), 2 * (both - uniform)], 1)
    explained = _nagelkerke(both, empty, len(right)) - _nagelkerke(plain, empty, len(right))
    return LogisticDif(float(coefficients[2]), float(uniform_p), float(nonuniform_p), explained)


def _logit_fit(right: Floats, columns: Floats) -> tuple[float, Floats]:
    """Return the log-likelihood of a logistic regression, and its coefficients, by Newton's steps."""
    from scipy.special import expit

    coefficients = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        chance = expit(columns @ coefficients)
        information = columns.T @ (columns * (chance * (1 - chance))[:, None]) + _RIDGE * np.eye(len(coefficients))
        step = np.linalg.solve(information, columns.T @ (right - chance))
        coefficients = coefficients + step
        if np.abs(step).max() < _STILL:
            break
    line = columns @ coefficients
    return float((right * line - np.logaddexp(0, line)).sum()), coefficients


def _nagelkerke(likelihood: float, empty: float, rows: int) -> float:
    return float((1 - np.exp(2 * (empty - likelihood) / rows)) / (1 - np.exp(2 * empty / rows)))
