"""Re-selection and exploration on several cores: a worker reads its samples from the graph itself."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.english.parse import load_spacy_model
from kbe_graph.evolve.explorations import Packed, pack_explorations
from kbe_graph.evolve.part_content import dumps
from kbe_graph.evolve.workers import Workers
from kbe_graph.models.loop import new_runner

if TYPE_CHECKING:
    from kbe_graph.evolve.driver import Driver


class _Own(NamedTuple):
    """What a worker explores with, in its own process, and the one event loop of that."""

    driver: "Driver"
    loop: asyncio.Runner


_own: list[_Own] = []


def explore_workers(number: int, make: "Callable[[], Driver]") -> Workers:
    """Return workers that explore; ``make`` gives a worker what it explores with, and can be sent to it."""
    return Workers(number, partial(_prepare, make))


async def reselect_apart(workers: Workers, ids: Sequence[str]) -> bytes:
    """Return the re-selected questions of the samples of these ids, packed; raises ResourceError."""
    return await workers.result(_reselect, ids)


async def explore_apart(workers: Workers, hop: int, ids: Sequence[str]) -> Packed:
    """Return what the samples of these ids could become in a hop; raises as ``Hop`` does, and ResourceError."""
    return await workers.result(_explore, hop, ids)


def _prepare(make: "Callable[[], Driver]") -> None:
    driver = make()
    if driver.recipe.parses:
        load_spacy_model()
    _own.append(_Own(driver, new_runner()))


def _reselect(ids: Sequence[str]) -> bytes:
    own = _own[0]
    return dumps(own.loop.run(own.driver.reselections(ids)))


def _explore(hop: int, ids: Sequence[str]) -> Packed:
    own = _own[0]
    return pack_explorations(own.loop.run(own.driver.explorations(hop, ids)))
