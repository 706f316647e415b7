"""Trend and correlation against statsmodels, scipy and numpy."""

import numpy as np
import pytest
from scipy.stats import pearsonr, t
from statsmodels.stats.contingency_tables import Table
from whole_statsmodels import sm

from kbe_graph.statistics.paired import correlation, trend

DRAW = np.random.default_rng(5)
IMAGES = np.repeat(np.arange(150), 4)
HOPS = np.tile(np.arange(4), 150)
RIGHT = (DRAW.random(600) < 0.65 - 0.08 * HOPS + np.repeat(DRAW.normal(0, 0.2, 150), 4)).astype(float)


def test_the_slope_is_that_of_least_squares_within_its_interval() -> None:
    figures = trend(HOPS, RIGHT, IMAGES)
    assert figures.slope == pytest.approx(np.polyfit(HOPS, RIGHT, 1)[0])
    assert figures.low < -0.08 < figures.high < 0


def test_the_test_is_the_robust_score_test_of_statsmodels() -> None:
    whole = sm.GEE(RIGHT, sm.add_constant(HOPS), groups=IMAGES, family=sm.families.Binomial())
    null = sm.GEE(RIGHT, np.ones(600), groups=IMAGES, family=sm.families.Binomial()).fit()
    statistic = whole.fit().model.compare_score_test(null)["statistic"]
    assert trend(HOPS, RIGHT, IMAGES).p == pytest.approx(2 * t.sf(np.sqrt(statistic), 149), rel=1e-6)


def test_one_question_an_image_has_about_the_test_of_cochran_and_armitage() -> None:
    right = (np.random.default_rng(2).random(2000) < 0.5 - 0.02 * np.tile(np.arange(4), 500)).astype(int)
    hops = np.tile(np.arange(4), 500)
    counts = [[int(((right == row) & (hops == hop)).sum()) for hop in range(4)] for row in (0, 1)]
    classic = Table(counts).test_ordinal_association()
    assert trend(hops, right, np.arange(2000)).p == pytest.approx(classic.pvalue, rel=0.1)


def test_a_correlation_is_pearsons_and_one_question_an_image_has_about_his_interval() -> None:
    edges = HOPS + 3
    figures = correlation(edges, 1 - RIGHT, np.arange(600))
    scipys = pearsonr(edges, 1 - RIGHT)
    assert figures.r == pytest.approx(scipys.statistic)
    assert (figures.low, figures.high) == pytest.approx(tuple(scipys.confidence_interval()), abs=0.02)


def test_what_never_changes_has_no_trend_and_no_correlation() -> None:
    assert np.isnan(trend([1] * 30, RIGHT[:30], range(30))).all()
    assert np.isnan(correlation(range(30), [1] * 30, range(30))).all()
    slope, *rest = trend([0, 1, 0, 1], [1, 0, 1, 1], range(4))
    assert slope == -0.5
    assert np.isnan(rest).all()
