"""How long the embedded engine takes to start and to stop.

    python bench/engine_start.py [--times 5]

Prints one line of JSON, medians in seconds: a new graph until the first answer, one that is there until the first
answer, and the end.
"""

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from kbe_graph.store import open_store


def once(folder: Path) -> tuple[float, float]:
    begin = time.perf_counter()
    with open_store(folder) as store:
        store.samples()
        middle = time.perf_counter()
    return middle - begin, time.perf_counter() - middle


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        new, _ = once(Path(folder))
        starts, stops = zip(*(once(Path(folder)) for _ in range(arguments.times)), strict=True)
    figures = {"new": new, "start": statistics.median(starts), "stop": statistics.median(stops)}
    print(json.dumps({name: round(seconds, 2) for name, seconds in figures.items()}))


if __name__ == "__main__":
    main()
