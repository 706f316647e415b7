"""Exploration on several cores: a worker reads its samples from the graph itself and gives back what it found."""

from collections.abc import Callable, Sequence
from functools import partial

from kbe_graph.english.spacy_model import load_spacy_model
from kbe_graph.evolve.explorations import Packed, pack_explorations
from kbe_graph.evolve.hop import Hop
from kbe_graph.evolve.workers import Workers
from kbe_graph.models import loop

_own: list[Hop] = []  # what a worker explores with, in its own process


def explore_workers(number: int, make: Callable[[], Hop]) -> Workers:
    """Return workers that explore; ``make`` gives a worker what it explores with, and can be sent to it."""
    return Workers(number, partial(_prepare, make))


async def explore_apart(workers: Workers, hop: int, ids: Sequence[str]) -> Packed:
    """Return what the samples of these ids could become in a hop; raises as ``Hop`` does, and ResourceError."""
    return await workers.result(_explore, hop, ids)


def _prepare(make: Callable[[], Hop]) -> None:
    load_spacy_model()
    _own.append(make())


def _explore(hop: int, ids: Sequence[str]) -> Packed:
    async def batch() -> Packed:
        return pack_explorations(await _own[0].explore(await _own[0].propose(hop, ids)))

    return loop.run(batch())
