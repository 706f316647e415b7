"""Intervals of shares and of clustered values, against statsmodels, scipy, published tables and known truth."""

import numpy as np
import pytest
from scipy.stats import bootstrap
from statsmodels.stats.proportion import proportion_confint
from whole_statsmodels import sm

from kbe_graph.statistics import wilson
from kbe_graph.statistics.intervals import (
    Floats,
    bootstrap_interval,
    cluster_sums,
    clustered_error,
    clustered_wilson,
    design_effect,
)
from kbe_graph.statistics.paired import paired_difference, trend

DRAW = np.random.default_rng(3)
IMAGES = DRAW.integers(60, size=150)
RIGHT = (DRAW.random(150) < DRAW.beta(2, 2, size=60)[IMAGES]).astype(float)


def mean(totals: Floats) -> Floats:
    return totals[..., 0] / totals[..., 1]


def test_wilson_is_that_of_statsmodels_and_of_newcombes_table() -> None:
    """Newcombe 1998, Statistics in Medicine 17:857-872, table I, method 3."""
    for part, whole in [(0, 1), (0, 20), (1, 29), (15, 148), (81, 263), (500, 1000), (40, 40)]:
        ends = proportion_confint(part, whole, method="wilson")
        assert wilson(part, whole) == pytest.approx(ends, abs=1e-9), (part, whole)
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)
    ends = {(part, whole): wilson(part, whole) for whole in range(1, 60) for part in range(whole + 1)}
    assert [case for case, (low, high) in ends.items() if not low <= case[0] / case[1] <= high] == []


def test_intervals_over_images_hold_the_truth_95_times_in_100() -> None:
    """Those of a share, a difference and a trend: 200 times 60 images."""
    rows = []
    for number in range(200):
        draw = np.random.default_rng(number)
        image, ease = np.repeat(np.arange(60), 2), np.repeat(draw.uniform(-0.2, 0.2, 60), 2)
        right = (draw.random((120, 3)) < np.array([0.6, 0.5, 0.4]) + ease[:, None]).astype(float)
        low, high = clustered_wilson(right[:, 1], image)
        gap = paired_difference(right[:, 0], right[:, 1], image, seed=number)
        slope = trend(np.tile([0, 1, 2], 120), right.ravel(), np.repeat(image, 3), seed=number)
        rows.append((low <= 0.5 <= high, gap.low <= -0.1 <= gap.high, slope.low <= -0.1 <= slope.high))
    held = np.mean(rows, axis=0)
    assert ((held >= 0.91) & (held <= 0.99)).all(), held


def test_answers_about_one_image_count_together() -> None:
    fit = sm.OLS(RIGHT, np.ones(150)).fit(cov_type="cluster", cov_kwds={"groups": IMAGES, "use_correction": False})
    assert clustered_error(RIGHT, IMAGES) == pytest.approx(fit.bse[0])
    doubled, images = np.repeat([0, 1, 1, 0, 1], 2), np.repeat(range(5), 2)
    assert design_effect(doubled, images) == pytest.approx(2)
    assert clustered_wilson(doubled, images) == pytest.approx(wilson(3, 5))
    assert clustered_error(doubled, ["one"] * 10) is None
    assert clustered_wilson(doubled, ["one"] * 10) == pytest.approx(wilson(0.6, 1))
    assert clustered_wilson([0, 1, 1, 1], list("abcd")) == pytest.approx(wilson(3, 4))


def test_the_bootstrap_is_scipys_and_depends_on_the_seed_alone() -> None:
    values = np.random.default_rng(1).exponential(size=80)
    sums = cluster_sums(np.column_stack([values, np.ones(80)]), np.arange(80))
    ends = bootstrap_interval(sums, mean, seed=0, draws=20000)
    scipys = bootstrap((values,), np.mean, n_resamples=20000, method="BCa", rng=np.random.default_rng(0))
    assert ends == pytest.approx(tuple(scipys.confidence_interval), abs=0.015)
    sums = cluster_sums(np.column_stack([RIGHT, np.ones(150)]), IMAGES)
    assert bootstrap_interval(sums, mean, seed=7) == bootstrap_interval(sums[::-1], mean, seed=7)
    assert bootstrap_interval(sums, mean, seed=7) != bootstrap_interval(sums, mean, seed=8)
    for few in (np.column_stack([np.arange(9), np.ones(9)]), np.ones((30, 2))):
        assert np.isnan(bootstrap_interval(few, mean)).all()
