"""How hard questions are, checked on small cases by hand and against scipy."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from kbe_graph.statistics.items import correlation, difficulty, failure_histogram, item_rest

NAN = np.nan


def test_difficulty_is_the_share_of_models_that_fail() -> None:
    responses = np.array([[1, 0, NAN, NAN], [1, 0, 0, NAN], [0, 0, 1, NAN]])
    np.testing.assert_allclose(difficulty(responses), [1 / 3, 1, 0.5, NAN])
    assert failure_histogram(np.array([[1, 0, NAN], [0, 0, 1]])) == (0, 1, 1)


def test_the_histogram_has_the_mean_that_the_models_failures_add_up_to() -> None:
    """Of 344 questions WikiVQABench's models failed 7.001 of 15 each; the mean is what their accuracies leave."""
    published = (75.6, 70.3, 66.3, 65.7, 64.0, 63.1, 60.2, 56.4, 54.7, 54.1, 46.5, 36.6, 32.3, 29.4, 24.7)
    draw = np.random.default_rng(0)
    right = [draw.permutation(np.arange(344) < round(share * 3.44)).astype(float) for share in published]
    counts = failure_histogram(np.array(right))
    assert len(counts) == 16
    assert sum(counts) == 344
    assert np.average(np.arange(16), weights=counts) == pytest.approx(7.001, abs=0.002)


def test_item_rest_correlation_is_that_of_scipy() -> None:
    responses = (np.random.default_rng(1).random((12, 40)) < np.linspace(0.2, 0.9, 12)[:, None]).astype(float)
    rest = responses.sum(axis=1, keepdims=True) - responses
    expected = [pearsonr(responses[:, place], rest[:, place])[0] for place in range(40)]
    np.testing.assert_allclose(item_rest(responses), expected)


def test_a_question_that_good_models_fail_and_bad_ones_solve_is_negative() -> None:
    responses = np.array([[1, 1, 1, 0, 1], [1, 1, 0, 0, 1], [1, 0, 0, 1, 0.0]])
    values = item_rest(responses)
    assert values[3] < 0 < values[1]
    assert np.isnan(values[0])


def test_questions_of_few_images_have_no_interval_and_a_constant_no_correlation() -> None:
    x = np.arange(20.0)
    assert correlation(x, x, ["a", "b"] * 10) == (pytest.approx(1.0), None, None, 20)
    assert correlation(x, np.ones(20), ["a"] * 20) is None
