"""Re-selection and cycle checks, in Cypher (KBE, section 3.2)."""

import zlib
from collections.abc import Sequence
from typing import Any

from kbe_graph.resources import statement
from kbe_graph.store.connection import Connection
from kbe_graph.store.faults import StatementTimeout
from kbe_graph.store.graphs import read_graphs
from kbe_graph.store.rows import CycleRow, Row
from kbe_graph.types import Triplet

BATCH = 100
MOST_PATHS = 5
MOST_TRAILS = 20_000
SHORTEST = 2
BOUND = "*1..10"
CYCLE_BATCH = 1_000
MODULUS = 1_000_003


def reselect(
    connection: Connection,
    samples: Sequence[str],
    *,
    seed: int,
    max_length: int = 10,
    timeout: float = 60,
    most_trails: int = MOST_TRAILS,
) -> dict[str, list[tuple[Triplet, ...]]]:
    """Return, longest first, the best path to each of at most five ends; a sample whose search timed out is left out.

    A path is simple, starts at IMAGE, has at most ``max_length`` edges, ends in a noun that is not the old answer, and is
    not the old key. Where a graph is so dense that ``most_trails`` ways or more lead from IMAGE, the bound is lowered, one
    edge at a time, until fewer do; so the outcome does not hang on the speed of a machine. ``timeout`` in seconds.
    """
    bounds = _bounds(connection, sorted(set(samples)), max_length, {"timeout": timeout, "most": most_trails})
    found: dict[str, list[list[str]]] = {}
    for length in sorted(set(bounds.values())):
        ids = [sample for sample, bound in bounds.items() if bound == length]
        for start in range(0, len(ids), BATCH):
            found |= _search(connection, ids[start : start + BATCH], seed=seed, length=length, timeout=timeout)
    return _triplets(connection, found)


def _bounds(connection: Connection, samples: list[str], max_length: int, limits: dict[str, Any]) -> dict[str, int]:
    """Return for each sample the longest bound, in edges, that does not make its search explode."""
    bounds: dict[str, int] = {}
    left = samples
    for length in range(max_length, 0, -1):
        trails: dict[str, int] = {}
        for start in range(0, len(left), BATCH):
            trails |= _trails(connection, left[start : start + BATCH], length, limits)
        bounds |= {sample: length for sample, count in trails.items() if count < limits["most"] or length <= SHORTEST}
        left = [sample for sample in left if sample in trails and sample not in bounds]
    return bounds


def _bounded(name: str, length: int) -> str:
    """Return the statement with the bound of its path set, which cannot be a parameter."""
    return statement(name).replace(BOUND, f"*1..{int(length)}")


def _trails(connection: Connection, samples: list[str], length: int, limits: dict[str, Any]) -> dict[str, int]:
    rows = _one_by_one(connection, _bounded("count_trails", length), samples, **limits)
    return {row["sample"]: row["trails"] for row in rows}


def _search(
    connection: Connection, samples: list[str], *, seed: int, length: int, timeout: float
) -> dict[str, list[list[str]]]:
    draw = zlib.crc32(str(seed).encode()) % MODULUS
    text = _bounded("reselect", length)
    rows = _one_by_one(connection, text, samples, timeout=timeout, seed=draw, most=MOST_PATHS)
    return {row["sample"]: row["paths"] for row in rows}


def _one_by_one(
    connection: Connection, text: str, samples: list[str], *, timeout: float, **parameters: Any
) -> list[Row]:
    """Ask for all samples at once; where that takes too long, for each alone, and leave out what takes too long still."""
    try:
        return connection.read_text(text, timeout=timeout, samples=samples, **parameters)
    except StatementTimeout:
        if len(samples) == 1:
            return []
    return [row for one in samples for row in _one_by_one(connection, text, [one], timeout=timeout, **parameters)]


def _triplets(connection: Connection, found: dict[str, list[list[str]]]) -> dict[str, list[tuple[Triplet, ...]]]:
    graphs = read_graphs(connection, list(found))
    named = {
        sample: {f"{triplet.graph} {sample}|{triplet.id}": triplet for triplet in (*graph.visual, *graph.textual)}
        for sample, graph in graphs.items()
    }
    return {
        sample: [tuple(named[sample][id_] for id_ in path) for path in paths]
        for sample, paths in sorted(found.items())
        if sample in named
    }


def cycles(connection: Connection, rows: Sequence[CycleRow]) -> list[bool]:
    """Return for each row whether the object would close a cycle: it is a subject of the key subgraph, or the answer."""
    asked: list[Row] = [
        {"place": place, "question": row.question, "sample": row.sample, "object": row.object_key}
        for place, row in enumerate(rows)
    ]
    found: dict[int, bool] = {}
    for start in range(0, len(asked), CYCLE_BATCH):
        some = connection.read("cycles", rows=asked[start : start + CYCLE_BATCH])
        found |= {row["place"]: row["cycle"] for row in some}
    return [found.get(place, False) for place in range(len(asked))]
