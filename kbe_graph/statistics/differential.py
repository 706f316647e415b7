"""Differential item functioning: whether an item is harder for one of two groups at equal total scores.

Here the item is a model, the groups are the published wording and the paraphrase, and the test takers are the questions
in either wording. A question's total score, the number of models that answer it correctly, measures how easy it is.
"""

from math import erfc, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DELTA = -2.35  # converts log odds to the delta scale of the Educational Testing Service
_Z = 1.959963984540054
_STEPS = 25
_STILL = 1e-9
_RIDGE = 1e-9  # keeps the step defined under complete separation


class CommonOdds(NamedTuple):
    """The common odds ratio of two groups over all strata, with its 95 % interval and the test that it is 1.

    ``delta`` is the ratio on the scale of the Educational Testing Service, ``ets`` its class there: A (negligible), B
    (moderate), C (large). The ratio is infinite or 0 if one group is always right at equal scores; its interval is then
    unbounded, and the class empty.
    """

    ratio: float
    low: float
    high: float
    chi2: float
    p: float
    delta: float
    ets: str


class LogisticDif(NamedTuple):
    """Likelihood ratio tests by logistic regression, one degree of freedom each (Swaminathan and Rogers 1990).

    ``log_odds`` is the uniform effect of the group, tested by ``uniform_p``; ``nonuniform_p`` tests whether the effect
    depends on the score; ``r2`` is the gain in Nagelkerke's R squared from both.
    """

    log_odds: float
    uniform_p: float
    nonuniform_p: float
    r2: float


def strata_tables(right: Floats, is_reference: NDArray[np.bool_], scores: Floats) -> Floats:
    """Count a 2 x 2 table per distinct score: rows reference and other group, columns right and wrong."""
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
    """Estimate the common odds ratio of the tables (Mantel and Haenszel 1959); None if no table holds both groups.

    The interval follows Robins, Breslow and Greenland (1986), the test has no continuity correction; both treat rows as
    independent.
    """
    (a, b), (c, d) = tables.transpose(1, 2, 0)
    n = tables.sum(axis=(1, 2))
    a, b, c, d, n = (cells[n > 1] for cells in (a, b, c, d, n))
    r, s = a * d / n, b * c / n
    variance = ((a + b) * (c + d) * (a + c) * (b + d) / (n * n * (n - 1))).sum()
    if variance == 0:
        return None
    chi2 = float((a - (a + b) * (a + c) / n).sum() ** 2 / variance)
    p = _chi2_tail(chi2)
    if r.sum() == 0 or s.sum() == 0:
        return CommonOdds(np.inf if r.sum() else 0.0, 0.0, np.inf, chi2, p, -np.inf if r.sum() else np.inf, "")
    log_odds, error = float(np.log(r.sum() / s.sum())), _error(r, s, (a + d) / n, (b + c) / n)
    low, high = (float(np.exp(log_odds + sign * _Z * error)) for sign in (-1, 1))
    delta = _DELTA * log_odds
    return CommonOdds(float(np.exp(log_odds)), low, high, chi2, p, delta, _ets(delta, -_DELTA * error, p))


def _error(r: Floats, s: Floats, agreeing: Floats, other: Floats) -> float:
    """Return the standard error of the log common odds ratio."""
    r_sum, s_sum = r.sum(), s.sum()
    mixed = (agreeing * s + other * r).sum() / (2 * r_sum * s_sum)
    return float(np.sqrt((agreeing * r).sum() / (2 * r_sum**2) + mixed + (other * s).sum() / (2 * s_sum**2)))


def _ets(delta: float, error: float, p: float) -> str:
    """Return the class: A if below 1 or not significant, C if at least 1.5 and significantly above 1, otherwise B."""
    if abs(delta) < 1 or p >= 0.05:
        return "A"
    return "C" if abs(delta) >= 1.5 and abs(delta) - 1.645 * error > 1 else "B"


def logistic_dif(right: Floats, is_reference: NDArray[np.bool_], scores: Floats) -> LogisticDif | None:
    """Test for a group effect beyond the score; None if all rows are right, all are wrong, or of one group."""
    if np.ptp(right) == 0 or np.ptp(is_reference.astype(int)) == 0:
        return None
    group = is_reference.astype(float)
    score = (scores - scores.mean()) / (scores.std() or 1.0)
    ones = np.ones_like(group)
    empty, _ = _logit_fit(right, ones[:, None])
    plain, _ = _logit_fit(right, np.column_stack([ones, score]))
    uniform, coefficients = _logit_fit(right, np.column_stack([ones, score, group]))
    both, _ = _logit_fit(right, np.column_stack([ones, score, group, score * group]))
    explained = _nagelkerke(both, empty, len(right)) - _nagelkerke(plain, empty, len(right))
    uniform_p, nonuniform_p = _chi2_tail(2 * (uniform - plain)), _chi2_tail(2 * (both - uniform))
    return LogisticDif(float(coefficients[2]), uniform_p, nonuniform_p, explained)


def _chi2_tail(chi2: float) -> float:
    """Return the upper tail probability of chi-square with one degree of freedom."""
    return erfc(sqrt(max(chi2, 0.0) / 2))


def _logit_fit(right: Floats, columns: Floats) -> tuple[float, Floats]:
    """Fit a logistic regression by Newton's method; returns the log-likelihood and the coefficients."""
    coefficients = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        chance = (1 + np.tanh(columns @ coefficients / 2)) / 2
        information = columns.T @ (columns * (chance * (1 - chance))[:, None]) + _RIDGE * np.eye(len(coefficients))
        step = np.linalg.solve(information, columns.T @ (right - chance))
        coefficients = coefficients + step
        if np.abs(step).max() < _STILL:
            break
    line = columns @ coefficients
    return float((right * line - np.logaddexp(0, line)).sum()), coefficients


def _nagelkerke(likelihood: float, empty: float, rows: int) -> float:
    return float((1 - np.exp(2 * (empty - likelihood) / rows)) / (1 - np.exp(2 * empty / rows)))
