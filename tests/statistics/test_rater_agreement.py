"""Agreement on published worked examples."""

import numpy as np
import pytest

from kbe_graph.statistics.intervals import (
    NO_PAIR,
    NO_SPREAD,
    ONE_CLASS,
    Measurement,
    Ratings,
    agreement,
    class_share,
    mean_correlation,
)


def measured(ratings: Ratings, seed: int = 0, classes: tuple[str, ...] = ()) -> dict[str, Measurement]:
    """Measure the agreement, by name; the classes are those that occur unless they are given."""
    own = classes or sorted({word for row in ratings for word in row if word is not None})
    return {each.measure: each for each in agreement(ratings, own, seed=seed)}


def ratings_of(text):
    return [[None if word == "." else word for word in line.split()] for line in text.strip().splitlines()]


def ratings_of_table(table):
    """Pairs of ratings from a table of counts: the first rater's class is the row."""
    return [
        [str(row), str(column)] for row, counts in enumerate(table) for column, n in enumerate(counts) for _ in range(n)
    ]


# Krippendorff, Computing Krippendorff's alpha-reliability (2011), section C: four observers, missing values, 12 units.
# Gwet, Handbook of Inter-Rater Reliability (2014), takes the same table (irrCAC: cac.raw4raters).
FOUR = ratings_of("""
    1 1 . 1
    2 2 3 2
    3 3 3 3
    3 3 3 3
    2 2 2 2
    1 2 3 4
    4 4 4 4
    1 1 2 1
    2 2 2 2
    . 5 5 5
    . . 1 1
    . . 3 .
""")
# Gwet, Computing inter-rater reliability in the presence of high agreement (2008): kappa -0.0234, AC1 0.9408.
SKEWED = ratings_of_table([[118, 5], [2, 0]])


def test_each_measure_is_that_of_its_published_example():
    four = measured(FOUR)
    assert four["alpha"].value == pytest.approx(0.743, abs=0.0005)
    assert four["percent"].value == pytest.approx(0.8181818)
    assert four["AC1"].value == pytest.approx(0.77544, abs=5e-6)
    assert four["AC1"].low == pytest.approx(0.4608, abs=5e-4)  # standard error 0.14295
    assert (four["AC1"].high, four["AC1"].items) == (1, 11)
    assert measured(FOUR, seed=1)["alpha"] != four["alpha"] == measured(FOUR)["alpha"]
    skewed = measured(SKEWED)  # where a class is rare, AC1 holds and kappa does not
    assert skewed["Cohen's kappa"].value == pytest.approx(-0.0234, abs=5e-5)
    assert skewed["AC1"].value == pytest.approx(0.9408, abs=5e-5)


def test_a_share_weighs_each_item_the_same():
    share = class_share([["yes", "no"], ["yes", None], ["yes", "yes"]], "yes")
    assert share.value == pytest.approx((0.5 + 1 + 1) / 3)
    single = class_share([["yes"]] * 95 + [["no"]] * 5, "yes")
    assert (single.value, single.low, single.high) == pytest.approx((0.95, 0.8882, 0.9785), abs=1e-4)


def test_one_class_alone_and_nothing_to_compare_are_told_and_not_numbers():
    same = measured([["yes", "yes"]] * 5)
    assert {(each.value, each.note) for name, each in same.items() if name != "percent"} == {(None, ONE_CLASS)}
    assert same["percent"][1:3] == (1, pytest.approx(0.5655, abs=1e-4))
    assert measured([["yes", "yes"]] * 5, classes=("yes", "no"))["AC1"][1:] == (1, None, None, 5, NO_SPREAD)
    assert measured([["a", "b"]])["AC1"].note == NO_SPREAD
    for ratings in ([], [["yes"], ["no"]], [["yes", None], [None, "no"]]):
        assert {each.value for each in measured(ratings).values()} == {None}
        assert measured(ratings)["alpha"].note == NO_PAIR


def test_the_correlation_is_the_mean_of_pearsons_over_pairs_of_raters():
    draw = np.random.default_rng(3)
    codes = (draw.random((60, 1)) < 0.5) ^ (draw.random((60, 3)) < 0.2)
    pearson = mean_correlation([["1" if code else "2" for code in row] for row in codes], "1")
    table = np.corrcoef(codes.T.astype(float))
    assert pearson.value == pytest.approx((table[0, 1] + table[0, 2] + table[1, 2]) / 3)
    assert pearson.low < pearson.value < pearson.high
    assert mean_correlation([["1", "1"], ["1", "1"]], "1").note == ONE_CLASS
    assert mean_correlation([["1"]], "1").note == NO_PAIR
