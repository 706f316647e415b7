"""Draws that depend on seeds alone."""

from kbe_graph.types import draw_ids

IDS = [f"okvqa/val/{number}" for number in range(100)]


def test_ids_are_drawn_the_same_whatever_order_they_come_in_and_more_of_them_hold_the_fewer():
    few = draw_ids(IDS, 10, 7)
    assert few == draw_ids(reversed(IDS), 10, 7) == sorted(few)
    assert set(few) < set(draw_ids(IDS, 30, 7))
    assert few != draw_ids(IDS, 10, 8)
    assert draw_ids(IDS, 1000, 7) == sorted(IDS)
