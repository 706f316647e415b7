"""Re-selection in Cypher against networkx on the same graphs, in one run.

    python bench/reselect.py [--samples 1000]

networkx is given what the graph holds: fetching the edges counts, as it would have to be done. Prints one line of JSON;
``ratio`` above 1 says that Cypher is faster.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import networkx as nx
from load import address, save
from synthetic import batches, drawn

from kbe_graph.store import Store, open_store
from kbe_graph.types import SampleGraph

BATCH = 200


def longest(graph: SampleGraph) -> list[str]:
    """Return the longest simple path from IMAGE to a noun that is not the old answer, by networkx."""
    wide = nx.MultiDiGraph((one.subject.key, one.object.key) for one in (*graph.visual, *graph.textual))
    nouns = {one.object.key for one in graph.visual if one.object.noun} - {graph.key[-1].object.key}
    return max(nx.all_simple_paths(wide, "image", nouns, cutoff=10), key=len, default=[])


def by_networkx(store: Store, ids: list[str]) -> dict[str, int]:
    found = {}
    for batch in batches(ids, BATCH):
        found |= {sample: len(longest(graph)) - 1 for sample, graph in store.graphs(batch).items()}
    return found


def by_cypher(store: Store, ids: list[str]) -> dict[str, int]:
    found = {}
    for batch in batches(ids, BATCH):
        found |= {sample: len(paths[0]) if paths else -1 for sample, paths in store.reselect(batch, seed=0).items()}
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder), address()) as store:
        for batch in batches(drawn(arguments.samples), BATCH):
            save(store, batch)
        ids = [sample.id for sample in store.samples()]
        by_cypher(store, ids[:BATCH]), by_networkx(store, ids[:BATCH])  # warm both up
        begin = time.perf_counter()
        ours = by_cypher(store, ids)
        middle = time.perf_counter()
        theirs = by_networkx(store, ids)
        end = time.perf_counter()
    figures = {
        "samples": len(ids),
        "cypher_per_second": round(len(ids) / (middle - begin), 1),
        "networkx_per_second": round(len(ids) / (end - middle), 1),
        "ratio": round((end - middle) / (middle - begin), 2),
        "same_length": sum(ours[sample] == theirs[sample] for sample in ids),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
