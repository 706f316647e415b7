"""95 % intervals hold the truth about 95 times in 100."""

import numpy as np
import pytest
from scipy.stats import binom

from kbe_graph.statistics import wilson
from kbe_graph.statistics.intervals import clustered_wilson
from kbe_graph.statistics.paired import paired_difference, trend


def test_wilson_holds_the_share_95_times_in_100_over_all_shares() -> None:
    "Every outcome with its chance: nothing is drawn."
    for questions in [50, 150, 600]:
        parts, shares = (np.arange(questions + 1), np.linspace(0.1, 0.9, 81))
        chances = binom.pmf(parts, questions, shares[:, None])
        low, high = np.array([wilson(int(part), questions) for part in parts]).T
        held = (chances * ((low <= shares[:, None]) & (shares[:, None] <= high))).sum(axis=1)
        assert held.mean() == pytest.approx(0.95, abs=0.005), questions
        assert held.min() > 0.93, questions


@pytest.fixture(scope="module")
def held() -> np.ndarray:
    """Whether the interval of a share, a difference and a trend holds the truth: 500 times 60 images."""
    rows = []
    for number in range(500):
        draw = np.random.default_rng(number)
        image, ease = np.repeat(np.arange(60), 2), np.repeat(draw.uniform(-0.2, 0.2, 60), 2)
        right = (draw.random((120, 3)) < np.array([0.6, 0.5, 0.4]) + ease[:, None]).astype(float)
        low, high = clustered_wilson(right[:, 1], image)
        gap = paired_difference(right[:, 0], right[:, 1], image, seed=number)
        slope = trend(np.tile([0, 1, 2], 120), right.ravel(), np.repeat(image, 3), seed=number)
        rows.append((low <= 0.5 <= high, gap.low <= -0.1 <= gap.high, slope.low <= -0.1 <= slope.high))
    return np.mean(rows, axis=0)


def test_intervals_over_images_hold_the_truth_95_times_in_100(held: np.ndarray) -> None:
    assert ((held >= 0.93) & (held <= 0.97)).all(), held
