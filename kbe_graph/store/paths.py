"""Re-selection and cycle checks in Cypher (KBE, section 3.2)."""

import warnings
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from kbe_graph.errors import KbeWarning
from kbe_graph.files.resources import statement
from kbe_graph.store.connection import Connection, StatementTimeout, Stored, batches, batches_by
from kbe_graph.store.edges import edge_draw
from kbe_graph.store.rows import Row
from kbe_graph.types import IMAGE, PRESUPPOSED, SampleGraph, Triplet

Path = tuple[Triplet, ...]
EDGES = 5_000
MOST_ENDS = 20
PATHS_TO_AN_END = 3
MOST_TRAILS = 20_000
BOUND = "*1..10"
SEEDS = 1_000_003
PRIME = 2_147_483_647
CYCLE_BATCH = 1_000
_START = IMAGE.key


class CycleRow(NamedTuple):
    """A cycle check: whether an object with this key would close a cycle in the question's key subgraph."""

    question: str
    sample: str
    object_key: str


class PathSearch(Stored):
    """Re-selection and cycle checks."""

    def reselect(
        self,
        graphs: Mapping[str, SampleGraph],
        *,
        seed: int,
        max_length: int = 10,
        timeout: float = 60,
        most_trails: int = MOST_TRAILS,
    ) -> dict[str, list[Path]]:
        """Find candidate key paths in each graph: longest first, to at most twenty ends, at most three paths to an end.

        ``graphs`` come from ``Store.graphs``; a sample whose search timed out is left out. A path is simple, starts at
        IMAGE, has at most ``max_length`` edges, avoids triplets that are only presupposed, and ends in a noun other
        than the old answer, so it is never the old key. Among paths of the same length to the same end, one is drawn at
        random. In a graph so dense that ``most_trails`` or more trails start at IMAGE, the maximum length is lowered
        one edge at a time until there are fewer, and a warning gives the number of such samples; so the result does not
        depend on the speed of the machine. ``timeout`` is in seconds.
        """
        limits = {"timeout": timeout, "trails": most_trails}
        factor = zlib.crc32(str(seed).encode()) % SEEDS + 1
        ways: dict[str, list[Path]] = {}
        left = sorted(graphs)
        sizes = {sample: len(graph.visual) + len(graph.textual) for sample, graph in graphs.items()}
        for length in range(max_length, 0, -1):
            dense = []
            for batch in batches_by(left, sizes.__getitem__, EDGES):
                for row in _search(self.connection, batch, length, limits):
                    if row["ways"] is None:
                        dense.append(row["sample"])
                    else:
                        ways[row["sample"]] = chosen_paths(graphs[row["sample"]], row["ways"], factor)
            left = dense
            if left and length == max_length:
                dense_ones = f"the graphs of {len(left)} samples are so dense that only paths"
                message = f"{dense_ones} shorter than {max_length} edges were looked at"
                warnings.warn(message, KbeWarning, stacklevel=2)
        return dict(sorted(ways.items()))

    def cycles(self, rows: Sequence[CycleRow]) -> list[str]:
        """Return for each row the key of the entity that its object is or leads back to, or an empty string.

        Such an entity is a subject of the question's key subgraph, or its answer; the first by name of several.
        """
        asked: list[Row] = [
            {"place": place, "question": row.question, "sample": row.sample, "object": row.object_key}
            for place, row in enumerate(rows)
        ]
        back: dict[int, str] = {}
        for batch in batches(asked, CYCLE_BATCH):
            back |= {row["place"]: min(row["back"]) for row in self.connection.read("cycles", rows=batch)}
        return [back.get(place, "").removeprefix(f"{row.sample}|") for place, row in enumerate(rows)]


def _search(connection: Connection, samples: list[str], length: int, limits: dict[str, Any]) -> list[Row]:
    text = statement("reselect").replace(BOUND, f"*1..{int(length)}")  # a path length cannot be a parameter
    try:
        return connection.read_text(text, samples=samples, **limits)
    except StatementTimeout:
        if len(samples) == 1:
            return []
    return [row for sample in samples for row in _search(connection, [sample], length, limits)]


def chosen_paths(graph: SampleGraph, ways: Iterable[Sequence[int]], factor: int) -> list[Path]:
    """Choose paths to at most twenty ends, longest first; at most three to an end, each of a different length.

    ``ways`` are the trails in the sample's graph, each as the draw values of its edges. If two triplets have the same
    draw value (rare), no path uses them. Among equally long paths to an end, the one with the highest score is chosen:
    the sum of its draw values times ``factor``, modulo a prime. So all are equally likely, and every engine gives the
    same result.
    """
    edges: dict[int, Triplet] = {}
    places: dict[int, str] = {}
    barred: set[int] = set()
    for triplet in (*graph.visual, *graph.textual):
        draw = edge_draw(graph.sample, triplet)
        if draw in edges or triplet.source == PRESUPPOSED:
            barred.add(draw)
        edges[draw], places[draw] = triplet, triplet.object.key
    best: dict[str, dict[int, tuple[int, Sequence[int]]]] = {}
    for way in ways:
        reached = {places[draw] for draw in way}
        if len(reached) < len(way) or _START in reached or not barred.isdisjoint(way):
            continue
        scored = len(way) * PRIME + sum(way) * factor % PRIME, way
        lengths = best.setdefault(places[way[-1]], {})
        if len(way) not in lengths or scored > lengths[len(way)]:
            lengths[len(way)] = scored
    ends = sorted(best.values(), key=lambda lengths: max(lengths.values()), reverse=True)[:MOST_ENDS]
    longest = (sorted(lengths.values(), reverse=True)[:PATHS_TO_AN_END] for lengths in ends)
    return [tuple(edges[draw] for draw in way) for _, way in sorted(chain(*longest), reverse=True)]
