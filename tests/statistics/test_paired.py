"""Paired differences, their power, trends and correlations against statsmodels, scipy and published examples."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import multinomial, norm, pearsonr, t
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import power_proportions_2indep
from whole_statsmodels import sm

from kbe_graph.statistics.paired import (
    correlation,
    detectable_difference,
    flip_test,
    holm,
    newcombe,
    paired_difference,
    paired_power,
    pairs_needed,
    questions_needed,
    trend,
)

DRAW = np.random.default_rng(5)
IMAGES = np.repeat(np.arange(150), 4)
HOPS = np.tile(np.arange(4), 150)
RIGHT = (DRAW.random(600) < 0.65 - 0.08 * HOPS + np.repeat(DRAW.normal(0, 0.2, 150), 4)).astype(float)


def pairs(both: int, first: int, second: int, neither: int) -> tuple[list[int], list[int]]:
    """Two vectors of so many pairs right in both, in the first, in the second, in neither."""
    return [1] * (both + first) + [0] * (second + neither), [1] * both + [0] * first + [1] * second + [0] * neither


def mcnemar(gained: int, lost: int) -> float:
    """Test that many pairs, each of its own image."""
    return flip_test([1] * gained + [-1] * lost)


def test_mcnemar_and_holm_are_those_of_statsmodels() -> None:
    for gained, lost in [(0, 0), (0, 4), (1, 7), (12, 12), (30, 55)]:
        table = [[9, lost], [gained, 9]]
        assert mcnemar(gained, lost) == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue), (gained, lost)
    ps = [0.01, 0.04, 0.03, 0.005, 0.9, 0.03]
    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1])
    assert list(holm([])) == []


def test_a_test_of_three_seeds_each_comes_out_at_its_level_without_an_effect() -> None:
    draw, images = np.random.default_rng(0), np.arange(100) // 2
    ps = []
    for _ in range(400):
        ease = draw.beta(4, 1, size=100)
        after = (draw.random((3, 100)) < ease).mean(axis=0)
        ps.append(paired_difference(draw.random(100) < ease, after, images, draws=2).p)
    assert 0.02 < np.mean(np.array(ps) < 0.05) < 0.08


def test_newcombe_is_that_of_published_examples() -> None:
    """Fagerland and others 2014, Statistics in Medicine 33; Altman and others 2000, Statistics with Confidence."""
    before, after = pairs(1, 1, 7, 12)
    assert newcombe(after, before, 21) == pytest.approx((-0.507, -0.026), abs=5e-4)


def test_a_difference_tells_what_was_gained_and_lost() -> None:
    before, after = pairs(30, 25, 5, 40)
    figures = paired_difference(before, after, np.arange(100))
    assert (figures.gained, figures.lost, figures.pairs, figures.clusters) == (5, 25, 100, 100)
    assert figures.difference == pytest.approx(-0.2)
    assert figures.low < -0.2 < figures.high < 0
    assert (figures.method, figures.p) == ("bootstrap", mcnemar(5, 25))
    half = paired_difference([1, 0.5, 0.5, 0], [0.5, 0.5, 1, 0], list("abcd"))
    assert (half.share_before, half.share_after, half.gained, half.lost) == (0.5, 0.5, 1, 1)


def test_pairs_that_hardly_differ_or_all_change_alike_have_an_interval_all_the_same() -> None:
    same = paired_difference([1] * 20, [1] * 20, range(20))
    assert (same.method, same.p, same.difference) == ("Newcombe", 1.0, 0.0)
    assert same.low < -0.1 < 0.1 < same.high
    figures = paired_difference(np.ones(40), np.zeros(40), np.arange(40) // 2)
    assert (figures.difference, figures.method) == (-1, "Newcombe")
    assert (figures.low, figures.high) == newcombe(np.ones(40), np.zeros(40), 20)


def test_the_power_is_how_often_the_test_shows_the_difference() -> None:
    """Every outcome of 30 pairs that the test shows, with its chance."""
    for discordance, difference in [(0.3, 0.1), (0.3, 0.3), (1.0, 0.4), (0.5, 0.0)]:
        shares = [(discordance - difference) / 2, (discordance + difference) / 2, 1 - discordance]
        outcomes = [
            (gained, lost) for gained in range(31) for lost in range(31 - gained) if mcnemar(gained, lost) <= 0.05
        ]
        seen = sum((multinomial.pmf([gained, lost, 30 - gained - lost], 30, shares) for gained, lost in outcomes))
        assert paired_power(30, discordance, difference) == pytest.approx(seen, abs=1e-9), (discordance, difference)


def test_pairs_needed_are_about_connors_and_unpaired_sets_those_of_statsmodels() -> None:
    """Connor 1987, Biometrics 43:207-211; the exact test needs somewhat more."""
    for difference, discordance in [(0.03, 0.2), (0.1, 0.3), (0.05, 0.08)]:
        tails = norm.isf(0.025) * sqrt(discordance) + norm.ppf(0.8) * sqrt(discordance - difference**2)
        connor, needed = (tails / difference) ** 2, pairs_needed(difference, discordance)
        assert connor < needed < 1.15 * connor + 10, (difference, discordance)
        assert paired_power(needed, discordance, difference) >= 0.8, (difference, discordance)
        seen = detectable_difference(needed, discordance)
        assert seen == pytest.approx(difference, abs=0.002), (difference, discordance)
    assert [detectable_difference(*few) for few in ((0, 0.5), (300, 0.0), (10, 0.1))] == [None] * 3
    assert pairs_needed(0.03, 0.0) == pairs_needed(0.03, 0.03)
    for share, other in [(0.5, 0.47), (0.3, 0.2), (0.01, 0.04)]:
        needed = questions_needed(share, abs(share - other))
        power = power_proportions_2indep(other - share, share, needed).power
        assert power == pytest.approx(0.8, abs=0.002), (share, other)


def test_a_trend_has_the_slope_of_least_squares_and_the_robust_score_test_of_statsmodels() -> None:
    figures = trend(HOPS, RIGHT, IMAGES)
    assert figures.slope == pytest.approx(np.polyfit(HOPS, RIGHT, 1)[0])
    assert figures.low < -0.08 < figures.high < 0
    whole = sm.GEE(RIGHT, sm.add_constant(HOPS), groups=IMAGES, family=sm.families.Binomial())
    null = sm.GEE(RIGHT, np.ones(600), groups=IMAGES, family=sm.families.Binomial()).fit()
    statistic = whole.fit().model.compare_score_test(null)["statistic"]
    assert figures.p == pytest.approx(2 * t.sf(np.sqrt(statistic), 149), rel=1e-6)


def test_a_correlation_is_pearsons_and_what_never_changes_has_none() -> None:
    edges = HOPS + 3
    figures, scipys = correlation(edges, 1 - RIGHT, np.arange(600)), pearsonr(edges, 1 - RIGHT)
    assert figures.r == pytest.approx(scipys.statistic)
    assert (figures.low, figures.high) == pytest.approx(tuple(scipys.confidence_interval()), abs=0.02)
    assert np.isnan(trend([1] * 30, RIGHT[:30], range(30))).all()
    assert correlation(range(30), [1] * 30, range(30)) is None
    few = correlation(np.arange(20.0), np.arange(20.0), ["a", "b"] * 10)
    assert few == (pytest.approx(1.0), None, None, 20)
