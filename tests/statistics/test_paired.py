"""Paired differences against statsmodels, published examples, and known truth."""

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from kbe_graph.statistics.paired import holm, mcnemar, newcombe, paired_difference


def pairs(both: int, first: int, second: int, neither: int) -> tuple[list[int], list[int]]:
    """Two vectors of so many pairs right in both, in the first, in the second, in neither."""
    return [1] * (both + first) + [0] * (second + neither), [1] * both + [0] * first + [1] * second + [0] * neither


def test_mcnemar_is_that_of_statsmodels() -> None:
    for gained, lost in [(0, 0), (0, 4), (1, 7), (12, 12), (30, 55)]:
        table = [[9, lost], [gained, 9]]
        assert mcnemar(gained, lost) == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue), (gained, lost)


def test_mcnemar_and_newcombe_are_those_of_a_published_example() -> None:
    """Airway hyper-responsiveness: Fagerland, Lydersen, Laake 2014, Statistics in Medicine 33:2850-2875."""
    before, after = pairs(1, 1, 7, 12)
    assert mcnemar(7, 1) == pytest.approx(0.0703, abs=5e-5)
    assert newcombe(after, before, 21) == pytest.approx((-0.507, -0.026), abs=5e-4)


def test_newcombe_is_that_of_a_second_published_example() -> None:
    """Altman, Machin, Bryant, Gardner 2000, Statistics with Confidence, chapter 6: 0.122 (0.01 to 0.23)."""
    before, after = pairs(14, 5, 0, 22)
    assert newcombe(after, before, 41) == pytest.approx((0.01, 0.23), abs=5e-3)


def test_holm_is_that_of_statsmodels() -> None:
    ps = [0.01, 0.04, 0.03, 0.005, 0.9, 0.03]
    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1])
    assert list(holm([])) == []


def test_a_difference_tells_what_was_gained_and_lost() -> None:
    before, after = pairs(30, 25, 5, 40)
    figures = paired_difference(before, after, np.arange(100))
    assert (figures.gained, figures.lost, figures.pairs, figures.clusters) == (5, 25, 100, 100)
    assert figures.difference == pytest.approx(-0.2)
    assert figures.low < -0.2 < figures.high < 0
    assert (figures.method, figures.p) == ("bootstrap", mcnemar(5, 25))


def test_the_interval_is_about_the_clustered_error_wide() -> None:
    """Each pair doubled in its image: the interval is that of half as many pairs, by the root of two wider."""
    before, after = pairs(60, 50, 10, 80)
    alone = paired_difference(before, after, np.arange(200))
    doubled = paired_difference(before * 2, after * 2, list(range(200)) * 2)
    assert doubled.design_effect == pytest.approx(2)
    assert (doubled.low, doubled.high) == pytest.approx((alone.low, alone.high), abs=0.01)


def test_pairs_that_hardly_differ_have_an_interval_all_the_same() -> None:
    same = paired_difference([1] * 20, [1] * 20, range(20))
    assert (same.method, same.p, same.difference) == ("Newcombe", 1.0, 0.0)
    assert same.low < -0.1
    assert same.high > 0.1


def test_questions_asked_twice_may_be_half_right() -> None:
    figures = paired_difference([1, 0.5, 0.5, 0], [0.5, 0.5, 1, 0], list("abcd"))
    assert (figures.share_before, figures.share_after, figures.gained, figures.lost) == (0.5, 0.5, 1, 1)


def test_pairs_that_all_change_alike_have_an_interval_all_the_same() -> None:
    figures = paired_difference(np.ones(40), np.zeros(40), np.arange(40) // 2)
    assert (figures.difference, figures.method) == (-1, "Newcombe")
    assert (figures.low, figures.high) == newcombe(np.ones(40), np.zeros(40), 20)
    assert -1 <= figures.low < figures.high < -0.7
