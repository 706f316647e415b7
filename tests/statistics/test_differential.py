"""Differential item functioning on the admissions to Berkeley."""

import numpy as np
import pytest
from wordings import both_wordings

from kbe_graph.statistics.differential import logistic_dif, mantel_haenszel

# Bickel, Hammel and O'Connell 1975: men admitted and rejected, women admitted and rejected, a department each
BERKELEY = (
    ((512, 313), (89, 19)),
    ((353, 207), (17, 8)),
    ((120, 205), (202, 391)),
    ((138, 279), (131, 244)),
    ((53, 138), (94, 299)),
    ((22, 351), (24, 317)),
)


def rows(**settings: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a model's answers in both wordings, which are the published ones, and the total scores."""
    original, paraphrase, _ = both_wordings(5, **settings)
    forms = np.hstack([original, paraphrase])
    return forms[2], np.arange(1200) < 600, forms.sum(axis=0)


def test_the_common_odds_of_berkeley_are_the_published_ones() -> None:
    """The example of mantelhaen.test in R: 0.9047 (0.7719 to 1.0603)."""
    odds = mantel_haenszel(np.array(BERKELEY, dtype=float))
    assert odds is not None
    assert odds[:3] == pytest.approx((0.9046968, 0.7719074, 1.0603298), abs=1e-6)
    assert odds.ets == "A"


def test_classes_are_those_of_the_educational_testing_service() -> None:
    classes = {
        cells: mantel_haenszel(np.array([cells], dtype=float)).ets
        for cells in (((500, 500), (480, 520)), ((600, 400), (480, 520)), ((700, 300), (480, 520)), ((7, 3), (5, 5)))
    }
    assert list(classes.values()) == ["A", "B", "C", "A"]


def test_a_group_that_is_always_right_has_infinite_odds_and_no_table_none() -> None:
    odds = mantel_haenszel(np.array([[[10, 0], [5, 5]]], dtype=float))
    assert odds is not None
    assert (odds.ratio, odds.low, odds.high, odds.ets) == (np.inf, 0, np.inf, "")
    assert mantel_haenszel(np.array([[[10, 0], [10, 0]]], dtype=float)) is None


def test_logistic_regression_finds_a_group_effect() -> None:
    right, is_original, scores = rows(memory={2: 0.3})
    dif = logistic_dif(right, is_original, scores)
    assert dif is not None
    assert dif.uniform_p < 0.01
    assert dif.log_odds > 0
    assert 0 < dif.r2 < 1


def test_where_all_is_right_logistic_regression_says_nothing() -> None:
    assert logistic_dif(np.ones(10), np.arange(10) < 5, np.arange(10.0)) is None
