"""Synthetic samples, shaped as those of OK-VQA are; names and relations are drawn as unevenly as in captions."""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple, TypeVar

from kbe_graph.types import IMAGE, RAW, Entity, Question, Sample, SampleGraph, Triplet, question_id

T = TypeVar("T")
NAMES = 3_000
RELATIONS = 600
THINGS = 9, 19, 12  # fewest, most, and most often of a sample


class Drawn(NamedTuple):
    """A sample with its graph and its raw question."""

    sample: Sample
    graph: SampleGraph
    raw: Question


def drawn(count: int, *, seed: int = 0, dense: bool = False) -> Iterator[Drawn]:
    """Return samples one by one; the same seed gives the same ones.

    They are like those of OK-VQA with captions and labels; ``dense`` ones have fourteen triplets between
    nine things that hang on each other in a chain, so that there are many ways, of up to nine edges.
    """
    draw = random.Random(seed)
    for number in range(count):
        yield _sample(number, _dense(draw) if dense else _shown(draw))


def batches(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """Return the items in tuples of at most ``size``."""
    remaining = iter(items)
    while batch := tuple(islice(remaining, size)):
        yield batch


def _shown(draw: random.Random) -> Iterator[Triplet]:
    """Give what captions and labels show: mostly things, and of few what they have to do with each other."""
    things = _things(draw, round(draw.triangular(*THINGS)))
    *shown, last = things
    yield from (Triplet(IMAGE, "depicts", thing, source="drawn") for thing in shown)
    pairs = [(draw.choice(shown), last), *(draw.sample(shown, 2) for _ in range(draw.randint(0, 4)))]
    yield from _between(draw, pairs)


def _dense(draw: random.Random) -> Iterator[Triplet]:
    things = _things(draw, 9)
    pairs = [(IMAGE, things[0]), (IMAGE, things[1]), *pairwise(things)]
    return _between(draw, [*pairs, *(draw.sample(things, 2) for _ in range(14 - len(pairs)))])


def _things(draw: random.Random, count: int) -> list[Entity]:
    return [Entity(f"THING {_skewed(draw, NAMES)}", place, noun=place % 3 != 0) for place in range(1, count + 1)]


def _between(draw: random.Random, pairs: Iterable[Sequence[Entity]]) -> Iterator[Triplet]:
    for subject, thing in pairs:
        yield Triplet(subject, f"relation {_skewed(draw, RELATIONS)}", thing, source="drawn")


def _sample(number: int, triplets: Iterable[Triplet]) -> Drawn:
    visual = tuple({triplet.id: triplet for triplet in triplets}.values())
    sample = Sample(
        f"drawn/bench/{number:06}", "drawn", "bench", "What is it?", "brown", ("brown",), f"{number}.jpg", f"{number}"
    )
    graph = SampleGraph(sample.id, visual, (), visual[:1])
    raw = Question(question_id(sample.id, RAW, 0), sample.id, RAW, 0, "raw", sample.question, sample.answer, graph.key)
    return Drawn(sample, graph, raw)


def _skewed(draw: random.Random, count: int) -> int:
    return int(count * draw.random() ** 3)
