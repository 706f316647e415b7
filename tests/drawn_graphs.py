"""Samples with random graphs, for tests of the path search."""

import random

from specimens import raw

from kbe_graph.store import Store
from kbe_graph.types import IMAGE, Entity, Sample, SampleGraph, Triplet


def drawn(number: int, *, entities: int, edges: int) -> tuple[Sample, SampleGraph]:
    """Build a sample with a random graph; a third of its entities are not nouns, and its key is one edge."""
    draw = random.Random(number)
    sample = Sample(f"drawn/x/{number:03}", "drawn", "x", "What is it?", "thing 0")
    things = [Entity(f"THING {place}", noun=place % 3 != 2) for place in range(entities)]
    pairs = {(IMAGE, things[0])} | {(IMAGE, draw.choice(things)) for _ in range(3)}
    pairs |= {tuple(draw.sample(things, 2)) for _ in range(edges)}
    ordered = sorted(pairs, key=lambda pair: (pair[0].name, pair[1].name))
    triplets = [Triplet(one, f"to {place % 4}", other) for place, (one, other) in enumerate(ordered)]
    key = next(triplet for triplet in triplets if triplet.object == things[0] and triplet.subject == IMAGE)
    return sample, SampleGraph(sample.id, tuple(triplets), (), (key,))


def save(store: Store, pairs: list[tuple[Sample, SampleGraph]]) -> None:
    store.save_samples([sample for sample, _ in pairs])
    store.save_graphs([graph for _, graph in pairs], [raw(sample, graph) for sample, graph in pairs])
