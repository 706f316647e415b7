"""Differential item functioning: whether an item is harder for one of two groups at equal total scores.

Here the item is a model, the groups are the published wording and the paraphrase, and the test takers are the questions
in either wording. A question's total score, the number of models that answer it correctly, measures how easy it is.
"""

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DELTA = -2.35  # converts log odds to the delta scale of the Educational Testing Service


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
    independent. Needs the extra ``figures``.
    """
    from statsmodels.stats.contingency_tables import StratifiedTable

    tables = tables[tables.sum(axis=(1, 2)) > 1]
    if not len(tables) or not (tables.sum(axis=1).all(axis=1) & tables.sum(axis=2).all(axis=1)).any():
        return None
    fit = StratifiedTable(list(tables))
    test = fit.test_null_odds(correction=False)
    chi2, p = float(test.statistic), float(test.pvalue)
    r, s = (tables[:, 0, 0] * tables[:, 1, 1]).sum(), (tables[:, 0, 1] * tables[:, 1, 0]).sum()
    if not r or not s:
        return CommonOdds(np.inf if r else 0.0, 0.0, np.inf, chi2, p, -np.inf if r else np.inf, "")
    low, high = map(float, fit.oddsratio_pooled_confint())
    delta, error = _DELTA * float(fit.logodds_pooled), -_DELTA * float(fit.logodds_pooled_se)
    return CommonOdds(float(fit.oddsratio_pooled), low, high, chi2, p, delta, _ets(delta, error, p))


def _ets(delta: float, error: float, p: float) -> str:
    if abs(delta) < 1 or p >= 0.05:
        return "A"
    return "C" if abs(delta) >= 1.5 and abs(delta) - 1.645 * error > 1 else "B"


def logistic_dif(right: Floats, is_reference: NDArray[np.bool_], scores: Floats) -> LogisticDif | None:
    """Test for a group effect beyond the score; None if all rows are right, all are wrong, or of one group.

    Needs the extra ``figures``.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of pandas 3, in statsmodels 0.14
        from statsmodels.genmod.families import Binomial
        from statsmodels.genmod.generalized_linear_model import GLM

    if np.ptp(right) == 0 or np.ptp(is_reference.astype(int)) == 0:
        return None
    group = is_reference.astype(float)
    score = (scores - scores.mean()) / (scores.std() or 1.0)
    columns = np.column_stack([np.ones_like(group), score, group, score * group])
    empty, plain, uniform, both = (GLM(right, columns[:, :count], Binomial()).fit() for count in (1, 2, 3, 4))
    explained = _nagelkerke(both.llf, empty.llf, len(right)) - _nagelkerke(plain.llf, empty.llf, len(right))
    uniform_p, nonuniform_p = _chi2_tail(2 * (uniform.llf - plain.llf)), _chi2_tail(2 * (both.llf - uniform.llf))
    return LogisticDif(float(uniform.params[2]), uniform_p, nonuniform_p, explained)


def _chi2_tail(chi2: float) -> float:
    from scipy.stats import chi2 as law

    return float(law.sf(max(chi2, 0.0), 1))


def _nagelkerke(likelihood: float, empty: float, rows: int) -> float:
    return float((1 - np.exp(2 * (empty - likelihood) / rows)) / (1 - np.exp(2 * empty / rows)))
