"""Clustered errors and the bootstrap over clusters, against statsmodels, scipy, and known truth."""

import numpy as np
import pytest
from scipy.stats import bootstrap
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

DRAW = np.random.default_rng(3)
IMAGES = DRAW.integers(60, size=150)
RIGHT = (DRAW.random(150) < DRAW.beta(2, 2, size=60)[IMAGES]).astype(float)


def mean(totals: Floats) -> Floats:
    return totals[..., 0] / totals[..., 1]


def test_the_clustered_error_is_that_of_statsmodels() -> None:
    fit = sm.OLS(RIGHT, np.ones(150)).fit(cov_type="cluster", cov_kwds={"groups": IMAGES, "use_correction": False})
    assert clustered_error(RIGHT, IMAGES) == pytest.approx(fit.bse[0])


def test_values_that_are_alike_within_an_image_count_once() -> None:
    doubled, images = np.repeat([0, 1, 1, 0, 1], 2), np.repeat(range(5), 2)
    assert design_effect(doubled, images) == pytest.approx(2)
    assert clustered_wilson(doubled, images) == pytest.approx(wilson(3, 5))
    assert design_effect([1, 1], [0, 1]) == 1


def test_one_question_an_image_has_wilsons_interval() -> None:
    assert clustered_wilson([0, 1, 1, 1], list("abcd")) == pytest.approx(wilson(3, 4))


def test_the_bootstrap_is_scipys_where_each_value_is_its_own_cluster() -> None:
    values = np.random.default_rng(1).exponential(size=80)
    sums = cluster_sums(np.column_stack([values, np.ones(80)]), np.arange(80))
    ends = bootstrap_interval(sums, mean, seed=0, draws=20000)
    scipys = bootstrap((values,), np.mean, n_resamples=20000, method="BCa", rng=np.random.default_rng(0))
    assert ends == pytest.approx(tuple(scipys.confidence_interval), abs=0.015)


def test_the_bootstrap_depends_on_the_seed_alone() -> None:
    sums = cluster_sums(np.column_stack([RIGHT, np.ones(150)]), IMAGES)
    assert bootstrap_interval(sums, mean, seed=7) == bootstrap_interval(sums[::-1], mean, seed=7)
    assert bootstrap_interval(sums, mean, seed=7) != bootstrap_interval(sums, mean, seed=8)


def test_few_clusters_and_values_without_spread_say_nothing() -> None:
    nine, same = np.column_stack([np.arange(9), np.ones(9)]), np.ones((30, 2))
    assert np.isnan(bootstrap_interval(nine, mean)).all()
    assert np.isnan(bootstrap_interval(same, mean)).all()
