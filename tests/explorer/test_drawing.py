"""A graph as the browser draws it."""

from dataclasses import replace

from specimens import family

from kbe_graph.explorer.drawing import draw_triplets, triplets_by_hop


def test_an_edge_says_that_its_fact_is_unsourced() -> None:
    question = family().question
    seen, fact = question.key
    unsourced = replace(question, key=(seen, replace(fact, source="unsourced")))
    labels = [edge["label"] for edge in draw_triplets(triplets_by_hop((), [unsourced])).edges]
    assert labels == ["depicts", "taxonomic family (unsourced)"]
