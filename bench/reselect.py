"""Re-selection in Cypher against networkx on the same graphs, in one run.

    python bench/reselect.py [--samples 1000] [--dense]

networkx is given what the graph holds: fetching it counts, as it would have to be done. A run fetches it all the same,
for the wording, so the figures with it are given as well.
``--dense`` is for graphs with far more and longer ways than those of a benchmark.
Prints one line of JSON; a ratio above 1 says that Cypher is faster.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import networkx as nx
from load import new_graph, save
from synthetic import batches, drawn

from kbe_graph.store import Store
from kbe_graph.types import SampleGraph

BATCH = 200


def longest(graph: SampleGraph) -> list[str]:
    """Return the longest simple path from IMAGE to a noun that is not the old answer, by networkx."""
    wide = nx.MultiDiGraph((triplet.subject.key, triplet.object.key) for triplet in (*graph.visual, *graph.textual))
    nouns = {triplet.object.key for triplet in graph.visual if triplet.object.noun} - {graph.key[-1].object.key}
    return max(nx.all_simple_paths(wide, "image", nouns, cutoff=10), key=len, default=[])


def by_networkx(graphs: Mapping[str, SampleGraph]) -> dict[str, int]:
    return {sample: len(longest(graph)) - 1 for sample, graph in graphs.items()}


def by_cypher(store: Store, graphs: Mapping[str, SampleGraph]) -> dict[str, int]:
    return {sample: len(paths[0]) if paths else -1 for sample, paths in store.reselect(graphs, seed=0).items()}


class Seconds(NamedTuple):
    """What fetching the graphs and the two searches took, and how many lengths agree."""

    fetch: float
    cypher: float
    networkx: float
    same: int


def compared(store: Store, batch: Sequence[str]) -> Seconds:
    """Measure a batch."""
    begin = time.perf_counter()
    graphs = store.graphs(batch)
    fetched = time.perf_counter()
    by_us = by_cypher(store, graphs)
    middle = time.perf_counter()
    by_them = by_networkx(graphs)
    end = time.perf_counter()
    same = sum(by_us[sample] == by_them[sample] for sample in batch)
    return Seconds(fetched - begin, middle - fetched, end - middle, same)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1_000)
    parser.add_argument("--dense", action="store_true")
    arguments = parser.parse_args()
    with new_graph() as store:
        for batch in batches(drawn(arguments.samples, dense=arguments.dense), BATCH):
            save(store, batch)
        ids = [sample.id for sample in store.samples()]
        for batch in batches(ids, BATCH):
            compared(store, batch)  # warms both up
        measured = [compared(store, batch) for batch in batches(ids, BATCH)]
    fetch, cypher, in_python, same = map(sum, zip(*measured, strict=True))
    figures = {
        "samples": len(ids),
        "cypher_per_second": round(len(ids) / cypher, 1),
        "networkx_per_second": round(len(ids) / (fetch + in_python), 1),
        "ratio": round((fetch + in_python) / cypher, 2),
        "cypher_with_fetch_per_second": round(len(ids) / (fetch + cypher), 1),
        "ratio_with_fetch": round((fetch + in_python) / (fetch + cypher), 2),
        "same_length": same,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
