"""Power against simulation, a published formula and statsmodels."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom, multinomial, norm
from statsmodels.stats.proportion import power_proportions_2indep

from kbe_graph.statistics.paired import detectable_difference, mcnemar, paired_power, pairs_needed, questions_needed


def test_the_power_is_how_often_the_test_shows_the_difference() -> None:
    "Every outcome of 30 pairs that the test shows, with its chance."
    for discordance, difference in [(0.3, 0.1), (0.3, 0.3), (1.0, 0.4), (0.5, 0.0)]:
        shares = [(discordance - difference) / 2, (discordance + difference) / 2, 1 - discordance]
        outcomes = [
            (gained, lost) for gained in range(31) for lost in range(31 - gained) if mcnemar(gained, lost) <= 0.05
        ]
        seen = sum((multinomial.pmf([gained, lost, 30 - gained - lost], 30, shares) for gained, lost in outcomes))
        assert paired_power(30, discordance, difference) == pytest.approx(seen, abs=1e-09), (discordance, difference)


def test_the_edge_of_the_test_is_the_exact_one() -> None:
    differing = np.arange(0, 30000, 97)
    edge = binom.ppf(0.025, differing, 0.5)
    edge -= binom.cdf(edge, differing, 0.5) > 0.025
    assert [paired_power(int(pairs), 1.0, 0.0) for pairs in differing] == pytest.approx(
        [*(2 * binom.cdf(edge, differing, 0.5))]
    )


def test_without_a_difference_the_test_alarms_at_most_five_times_in_a_hundred() -> None:
    assert all(paired_power(pairs, 0.2, 0.0) <= 0.05 for pairs in (10, 60, 400, 3000))


def test_pairs_needed_are_about_connors() -> None:
    "Connor 1987, Biometrics 43:207-211; the exact test needs somewhat more."
    for difference, discordance in [(0.03, 0.2), (0.1, 0.3), (0.05, 0.08)]:
        tails = norm.isf(0.025) * sqrt(discordance) + norm.ppf(0.8) * sqrt(discordance - difference**2)
        connor = (tails / difference) ** 2
        needed = pairs_needed(difference, discordance)
        assert connor < needed < 1.15 * connor + 10, (difference, discordance)
        assert paired_power(needed, discordance, difference) >= 0.8, (difference, discordance)
        assert detectable_difference(needed, discordance) == pytest.approx(difference, abs=0.002), (
            difference,
            discordance,
        )


def test_few_pairs_can_show_nothing() -> None:
    assert detectable_difference(0, 0.5) is None
    assert detectable_difference(300, 0.0) is None
    assert detectable_difference(10, 0.1) is None


def test_a_difference_needs_as_many_pairs_to_differ() -> None:
    assert pairs_needed(0.03, 0.0) == pairs_needed(0.03, 0.03)


def test_unpaired_sets_have_the_power_that_statsmodels_says() -> None:
    for share, other in [(0.5, 0.47), (0.3, 0.2), (0.01, 0.04)]:
        needed = questions_needed(share, abs(share - other))
        power = power_proportions_2indep(other - share, share, needed).power
        assert power == pytest.approx(0.8, abs=0.002), (share, other)
