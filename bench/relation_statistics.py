"""Seconds that all statistics of relations take on synthetic samples, read from the embedded engine.

``python bench/relation_statistics.py [--samples 5000]`` prints a line of JSON: triplets, seconds to read them, seconds
for each statistic, and the seconds that the alternative takes for the frequencies alone: pandas over an export of the
triplets as JSON lines, the writing of the export counted apart.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pandas as pd
import synthetic

from kbe_graph import Workspace
from kbe_graph.statistics.statistic_tables import OF_TRIPLETS, edge_frame

T = TypeVar("T")
BATCH = 1_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=5_000)
    count = parser.parse_args().samples
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder) / "W", progress=False) as work:
        load(work, count)
        edges, reading = timed(lambda: edge_frame(work.store))
        seconds = {name: timed(lambda make=make: make(edges))[1] for name, make in OF_TRIPLETS.items()}
        file = Path(folder) / "triplets.jsonl"
        _, writing = timed(lambda: export(work, file))
        _, alternative = timed(lambda: frequencies(file))
    figures = {"samples": count, "triplets": len(edges), "read": reading, **seconds}
    print(json.dumps(figures | {"export written": writing, "pandas over the export": alternative}))


def load(work: Workspace, count: int) -> None:
    for batch in synthetic.batches(synthetic.drawn(count), BATCH):
        work.store.save_samples([each.sample for each in batch])
        work.store.save_graphs([each.graph for each in batch], [each.raw for each in batch])


def timed(make: Callable[[], T]) -> tuple[T, float]:
    begun = time.perf_counter()
    value = make()
    return value, round(time.perf_counter() - begun, 2)


def export(work: Workspace, file: Path) -> None:
    with file.open("w", encoding="utf-8") as stream:
        for sample, graph in work.store.graphs(work.store.sample_ids(status="extracted")).items():
            for triplet in (*graph.visual, *graph.textual):
                row = {"sample": sample, "relation": triplet.relation, "object": triplet.object.name}
                stream.write(json.dumps(row) + "\n")


def frequencies(file: Path) -> pd.DataFrame:
    table = pd.read_json(file, lines=True)
    return table.groupby("relation").agg(triplets=("relation", "size"), samples=("sample", "nunique"))


if __name__ == "__main__":
    main()
