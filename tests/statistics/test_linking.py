"""Linking: skills of models of two releases on one scale, by the questions in common."""

import numpy as np
import pytest
from numpy.typing import NDArray

from kbe_graph.errors import InputError
from kbe_graph.statistics.linking import link

Floats = NDArray[np.float64]
SKILLS = np.array([-0.8, -0.3, 0.0, 0.3, 0.6, 0.9, 0.2, 0.7, 1.0, 1.3, 1.7])
OLD, SIZE, ANCHORS = 6, 600, 100


def two_releases(seed: int, spread: float = 0.0) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """Answers of six old and five new models; the second release is harder, and keeps what old models got wrong."""
    draw = np.random.default_rng(seed)
    hard = np.concatenate([draw.normal(0, 1.2, SIZE), draw.normal(1, 1.2, SIZE - ANCHORS)])
    steep = np.exp(draw.normal(0, spread, len(hard)))
    right = 1 / (1 + np.exp(-steep * (SKILLS[:, None] - hard)))
    answers = np.where(draw.random(right.shape) < right, 1.0, 0.0)
    held = np.zeros((2, len(hard)), dtype=bool)
    held[0, :SIZE] = held[1, SIZE:] = True
    held[1, np.argsort(answers[:OLD, :SIZE].sum(axis=0) + draw.random(SIZE))[50 : 50 + ANCHORS]] = True
    answers[:OLD, ~held[0]] = answers[OLD:, ~held[1]] = np.nan
    return answers, held, right[:, :SIZE].mean(axis=1)


def test_models_of_two_releases_stand_on_one_scale() -> None:
    inside, off = [], []
    for seed in range(4):
        answers, held, true = two_releases(seed)
        linked = link(answers, held)
        assert linked.model == "rasch"
        assert linked.releases == [0] * OLD + [1] * (len(SKILLS) - OLD)
        assert linked.anchors_of[-1] == ANCHORS
        pairs = [(new, old) for new in range(OLD, len(SKILLS)) for old in range(OLD)]
        spans = [(linked.difference(*pair), SKILLS[pair[0]] - SKILLS[pair[1]]) for pair in pairs]
        inside += [span.low <= difference <= span.high for span, difference in spans]
        off += [row.value - share for row, share in zip(linked.equated, true, strict=True)]
    assert np.mean(inside) > 0.85
    assert np.mean(np.abs(off)) < 0.03


def test_an_anchor_that_leaked_is_dropped_and_a_release_without_anchors_is_refused() -> None:
    answers, held, _ = two_releases(7)
    anchors = np.flatnonzero(held.all(axis=0))
    leaked = int(anchors[np.argmin(answers[:, anchors].sum(axis=0))])
    answers[:OLD, leaked], answers[OLD:, leaked] = 0.0, 1.0

    linked = link(np.vstack([answers, answers]), held)

    assert [anchor.question for anchor in linked.anchors if anchor.drifted] == [leaked]
    assert linked.anchors_of[-1] == ANCHORS - 1

    answers[OLD:, held.all(axis=0)] = np.nan
    with pytest.raises(InputError, match="release 'b' has no question in common"):
        link(answers, held, names=["a", "b"])


def test_discriminations_are_fitted_where_the_answers_bear_it() -> None:
    answers, held, _ = two_releases(3, spread=0.8)
    linked = link(np.vstack([answers, answers]), held)
    assert linked.model == "2pl"
    assert linked.bic[1] < linked.bic[0]
