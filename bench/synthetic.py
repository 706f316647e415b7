"""Synthetic samples: ten entities and fourteen triplets each, names and relations drawn as unevenly as in captions."""

import random
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import NamedTuple, TypeVar

from kbe_graph.types import IMAGE, RAW, Entity, Question, Sample, SampleGraph, Triplet, question_id

T = TypeVar("T")
NAMES = 3_000
RELATIONS = 600


class Drawn(NamedTuple):
    """A sample with its graph and its raw question."""

    sample: Sample
    graph: SampleGraph
    raw: Question


def drawn(count: int, *, seed: int = 0) -> Iterator[Drawn]:
    """Return samples one by one; the same seed gives the same ones."""
    draw = random.Random(seed)
    for number in range(count):
        yield _one(number, draw)


def batches(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """Return the items in tuples of at most ``size``."""
    remaining = iter(items)
    while batch := tuple(islice(remaining, size)):
        yield batch


def _one(number: int, draw: random.Random) -> Drawn:
    entities = [Entity(f"THING {_skewed(draw, NAMES)}", place, noun=place % 3 != 0) for place in range(1, 10)]
    pairs = [(IMAGE, entities[0]), (IMAGE, entities[1]), *pairwise(entities)]
    pairs += [tuple(draw.sample(entities, 2)) for _ in range(14 - len(pairs))]
    triplets = {
        triplet.id: triplet
        for triplet in (
            Triplet(subject, f"relation {_skewed(draw, RELATIONS)}", object_, source="drawn")
            for subject, object_ in pairs
        )
    }
    visual = tuple(triplets.values())
    sample = Sample(
        f"drawn/bench/{number:06}", "drawn", "bench", "What is it?", "brown", ("brown",), f"{number}.jpg", f"{number}"
    )
    graph = SampleGraph(sample.id, visual, (), visual[:1])
    raw = Question(question_id(sample.id, RAW, 0), sample.id, RAW, 0, "raw", sample.question, sample.answer, graph.key)
    return Drawn(sample, graph, raw)


def _skewed(draw: random.Random, count: int) -> int:
    return int(count * draw.random() ** 3)
