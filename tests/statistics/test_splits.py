"""Selection bias: what a choice by answers adds to the score on the same answers."""

import numpy as np
from numpy.typing import NDArray

from kbe_graph.statistics.splits import held_out_scores


def test_held_out_scores_are_free_of_the_bias_that_a_choice_by_the_same_answers_has() -> None:
    draw = np.random.default_rng(4)
    right = 1 / (1 + np.exp(draw.normal(0, 1, 6000) - np.repeat([-0.5, 0.0, 0.5], 4)[:, None]))
    answers = np.where(draw.random(right.shape) < right, 1.0, 0.0)
    choices = []

    def often_wrong(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
        choices.append(rows.mean(axis=0) < 0.5)
        return choices[-1]

    scores = held_out_scores(answers, often_wrong, models=[*"aaaabbbbcccc"])

    for model, (naive, held, bias) in enumerate(zip(*scores, strict=True)):
        true = np.mean([right[4 * model, chosen].mean() for chosen in choices])
        assert held.low < true < held.high
        assert naive.high < true
        assert abs(naive.value - held.value - bias.value) < 1e-9
        assert bias.high < -0.05
