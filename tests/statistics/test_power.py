"""How many questions a comparison needs: figures of the literature, and a bench of drawn comparisons."""

import numpy as np
import pytest

from kbe_graph.statistics.paired import detectable_difference, mcnemar, pairs_needed, questions_needed


def test_what_is_detectable_and_what_is_needed_agree() -> None:
    for difference, discordance in ((0.03, 0.2), (0.1, 0.3), (0.2, 0.2)):
        pairs = pairs_needed(difference, discordance)
        assert detectable_difference(pairs, discordance) == pytest.approx(difference, rel=0.01), difference
    assert detectable_difference(5, 0.2) is None
    assert detectable_difference(0, 0.0) is None
    assert questions_needed(0.65, 0.15) == 170  # Fleiss 1981, without his correction for continuity


def test_a_drawn_comparison_is_significant_in_four_of_five_draws() -> None:
    draw = np.random.default_rng(0)
    pairs = pairs_needed(0.1, 0.3)
    counts = draw.multinomial(pairs, [0.2, 0.1, 0.7], size=1000)
    assert np.mean([mcnemar(int(gained), int(lost)) < 0.05 for gained, lost, _ in counts]) == pytest.approx(
        0.8, abs=0.07
    )
