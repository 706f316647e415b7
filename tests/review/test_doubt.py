"""The order in which questions are looked at: what is most doubtful first."""

import random

from planted_reviews import RUN, planted
from specimens import family, load

from kbe_graph.review.doubt import SIGNS, Signals, doubts, order, read_signals, signals_of
from kbe_graph.review.material import standing_reviews
from kbe_graph.store import Store
from kbe_graph.store.nodes import Evolved
from kbe_graph.types import Review, RunRecord

FIRST = 60


def bad_first(seed: int) -> int:
    """Count the bad questions among the first so many of a planted set."""
    material, bad = planted(seed)
    asked = [signals for signals in signals_of(material) if "@raw/" not in signals.question]
    return len(bad.keys() & set(order(asked)[:FIRST]))


def test_of_thirty_bad_questions_twenty_four_are_among_the_first_sixty():
    found = [bad_first(seed) for seed in range(10)]
    print(found, sum(found) / 20)
    assert sum(found) / len(found) >= 24


def test_the_order_is_that_of_the_questions_and_not_of_their_reading():
    signals = signals_of(planted().material)
    assert order(random.Random(1).sample(signals, len(signals))) == order(signals)
