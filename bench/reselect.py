"""Re-selection in Cypher against networkx on the same graphs, in one run.

    python bench/reselect.py [--samples 1000]

networkx is given what the graph holds: fetching the edges counts, as it would have to be done. Prints one line of JSON;
``ratio`` above 1 says that Cypher is faster.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import networkx as nx
from load import address, save
from synthetic import batches, drawn

from kbe_graph.store import Store, open_store
from kbe_graph.types import SampleGraph

BATCH = 200


def longest(graph: SampleGraph) -> list[str]:
    """Return the longest simple path from IMAGE to a noun that is not the old answer, by networkx."""
    wide = nx.MultiDiGraph((triplet.subject.key, triplet.object.key) for triplet in (*graph.visual, *graph.textual))
    nouns = {triplet.object.key for triplet in graph.visual if triplet.object.noun} - {graph.key[-1].object.key}
    return max(nx.all_simple_paths(wide, "image", nouns, cutoff=10), key=len, default=[])


def by_networkx(store: Store, batch: Sequence[str]) -> dict[str, int]:
    return {sample: len(longest(graph)) - 1 for sample, graph in store.graphs(batch).items()}


def by_cypher(store: Store, batch: Sequence[str]) -> dict[str, int]:
    return {sample: len(paths[0]) if paths else -1 for sample, paths in store.reselect(batch, seed=0).items()}


def compared(store: Store, ids: Sequence[str]) -> tuple[float, float, int]:
    """Return the seconds of both, batch by batch in turn, and how many lengths agree."""
    ours = theirs = 0.0
    same = 0
    for batch in batches(ids, BATCH):
        begin = time.perf_counter()
        by_us = by_cypher(store, batch)
        middle = time.perf_counter()
        by_them = by_networkx(store, batch)
        ours, theirs = ours + middle - begin, theirs + time.perf_counter() - middle
        same += sum(by_us[sample] == by_them[sample] for sample in batch)
    return ours, theirs, same


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder), address()) as store:
        for batch in batches(drawn(arguments.samples), BATCH):
            save(store, batch)
        ids = [sample.id for sample in store.samples()]
        compared(store, ids)  # warms both up
        ours, theirs, same = compared(store, ids)
    figures = {
        "samples": len(ids),
        "cypher_per_second": round(len(ids) / ours, 1),
        "networkx_per_second": round(len(ids) / theirs, 1),
        "ratio": round(theirs / ours, 2),
        "same_length": same,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
