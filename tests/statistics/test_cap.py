"""The cap alarm against scipy's exact tests, and on models that name as others do."""

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact

from kbe_graph.statistics.memory import cap_alarm, tail


def test_with_equal_chances_the_tail_is_the_exact_binomial() -> None:
    for hits, right, chance in [(0, 10, 0.5), (9, 10, 0.5), (40, 100, 0.3), (3, 3, 0.25)]:
        expected = binomtest(hits, right, chance, alternative="greater").pvalue
        assert tail(hits, [chance] * right) == pytest.approx(expected), (hits, right, chance)


def test_with_unequal_chances_the_tail_is_that_of_all_outcomes() -> None:
    assert tail(2, [0.5, 0.25, 0.2]) == pytest.approx(0.5 * 0.25 * 0.8 + 0.5 * 0.75 * 0.2 + 0.5 * 0.25 * 0.2 + 0.025)


def test_who_names_the_drawn_one_of_four_names_too_often_is_an_alarm() -> None:
    alarm = cap_alarm(60, [0.25] * 100, 100, 400, models=5)
    assert alarm.alarm is True
    assert alarm.expected == 25
    assert alarm.p == pytest.approx(5 * binomtest(60, 100, 0.25, alternative="greater").pvalue)
    assert alarm.others_p == pytest.approx(5 * fisher_exact([[60, 40], [100, 300]], alternative="greater").pvalue)


def test_the_usual_name_is_no_alarm_where_the_other_models_say_it_too() -> None:
    alarm = cap_alarm(60, [0.25] * 100, 240, 400, models=5)
    assert alarm.p < 0.001
    assert alarm.alarm is False


def test_a_model_alone_is_no_alarm_and_no_all_clear() -> None:
    assert cap_alarm(60, [0.25] * 100, 0, 0).alarm is None
    assert cap_alarm(0, [], 5, 9).alarm is None


def test_models_that_draw_a_name_are_an_alarm_once_in_twenty_evaluations_at_most() -> None:
    hits = np.random.default_rng(0).binomial(100, 0.3, size=(200, 5))
    alarms = [cap_alarm(row[0], [0.3] * 100, sum(row[1:]), 400, models=1).alarm for row in hits.tolist()]
    assert sum(alarms) <= 16
