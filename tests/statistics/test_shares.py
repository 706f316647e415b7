"""Intervals of a share against statsmodels and published examples."""

import pytest
from statsmodels.stats.proportion import proportion_confint

from kbe_graph.statistics import wilson


def test_intervals_of_a_share_are_those_of_statsmodels() -> None:
    for part, whole in [(0, 1), (0, 20), (1, 29), (15, 148), (81, 263), (500, 1000), (40, 40)]:
        assert wilson(part, whole) == pytest.approx(proportion_confint(part, whole, method="wilson"), abs=1e-09), (
            part,
            whole,
        )


def test_wilson_is_that_of_newcombes_table() -> None:
    "Newcombe 1998, Statistics in Medicine 17:857-872, table I, method 3."
    for part, whole, ends in [
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ]:
        assert wilson(part, whole) == pytest.approx(ends, abs=5e-05), (part, whole, ends)


def test_nothing_asked_may_be_any_share() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_rounding_leaves_no_share_outside_its_interval() -> None:
    ends = {(part, whole): wilson(part, whole) for whole in range(1, 60) for part in range(whole + 1)}
    assert [case for case, (low, high) in ends.items() if not low <= case[0] / case[1] <= high] == []
