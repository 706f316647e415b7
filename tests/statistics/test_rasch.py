"""The Rasch model against statsmodels' conditional logit, and against models of known ability."""

import numpy as np
import pytest
from whole_statsmodels import sm

from kbe_graph.statistics.items import rasch

ABILITIES = np.array([1.5, 0.7, 0.1, -0.6, -1.7])


def answers(seed: int, questions: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    difficulties = draw.normal(0.2, 1.2, questions)
    chance = 1 / (1 + np.exp(difficulties - ABILITIES[:, None]))
    return (draw.random(chance.shape) < chance).astype(float), difficulties


def test_abilities_and_errors_are_those_of_a_conditional_logit_with_a_stratum_a_question() -> None:
    responses, _ = answers(0, 200)
    fit = rasch(responses)
    assert fit is not None
    responses = responses[:, (responses.sum(axis=0) > 0) & (responses.sum(axis=0) < 5)]  # the others say nothing
    count = responses.shape[1]
    places = np.tile(np.eye(5)[:, 1:], (count, 1))
    model = sm.ConditionalLogit(responses.T.ravel(), places, groups=np.repeat(np.arange(count), 5)).fit(disp=False)
    expected = np.concatenate([[0], model.params])
    to_mean = np.eye(5)[:, 1:] - np.full((5, 4), 0.2)
    errors = np.sqrt(np.diag(to_mean @ model.cov_params() @ to_mean.T))
    np.testing.assert_allclose(fit.abilities, expected - expected.mean(), atol=1e-4)
    np.testing.assert_allclose(fit.errors, errors, rtol=1e-3)


def test_known_abilities_come_back_within_their_errors() -> None:
    misses = []
    for seed in range(40):
        fit = rasch(answers(seed, 400)[0])
        assert fit is not None
        misses.append((np.array(fit.abilities) - ABILITIES) / fit.errors)
    assert np.abs(np.mean(misses, axis=0)).max() < 0.5  # of 40 draws of a standard normal 0.16 is the error
    assert np.mean(np.abs(misses) < 1.96) == pytest.approx(0.95, abs=0.04)


def test_known_difficulties_come_back_without_bias_and_in_order() -> None:
    responses, difficulties = answers(3, 4000)
    fit = rasch(responses)
    assert fit is not None
    reckoned = np.array(fit.difficulties)[(1 - responses).sum(axis=0).astype(int)]
    middle = np.abs(difficulties) < 1
    assert abs((reckoned - difficulties)[middle].mean()) < 0.05
    assert np.corrcoef(reckoned, difficulties)[0, 1] > 0.7
    assert np.isfinite(fit.difficulties).all()
    assert list(fit.difficulties) == sorted(fit.difficulties)


def test_a_model_that_is_always_right_stands_at_infinity_and_moves_nobody() -> None:
    responses, _ = answers(0, 200)
    without, among = rasch(responses), rasch(np.vstack([responses, np.ones(200), np.zeros(200)]))
    assert without is not None
    assert among is not None
    np.testing.assert_allclose(among.abilities, [*without.abilities, np.inf, -np.inf])
    assert among.difficulties == (without.difficulties[0], *without.difficulties, without.difficulties[-1])


def test_models_that_no_scale_holds_together_are_not_fitted() -> None:
    assert rasch(np.array([[1, 1, 0.0], [1, 0, 0]])) is None
    assert rasch(np.ones((3, 4))) is None
    assert rasch(np.empty((0, 0))) is None
