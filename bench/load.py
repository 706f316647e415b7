"""How fast samples with their graphs are loaded, and whether it slows down as the graph grows.

    python bench/load.py [--samples 50000] [--again] [--kept-up]

Prints one line of JSON: samples a second over all, in the first and in the last tenth; with ``--again`` also of a
second load of the same samples, which changes nothing. On the embedded engine, with ``--kept-up`` on one as ``kbe db
start`` starts it, or the server of NEO4J_URI.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from synthetic import Drawn, batches, drawn

from kbe_graph.store import Address, Store, open_store
from kbe_graph.store.embedded import start, stop

BATCH = 200


def address() -> Address | None:
    if not os.environ.get("NEO4J_URI"):
        return None
    return Address(os.environ["NEO4J_URI"], os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"])


@contextmanager
def new_graph(*, kept_up: bool) -> Iterator[Store]:
    """Give an empty graph: of the server, or of an embedded engine, with ``kept_up`` one for long work."""
    with tempfile.TemporaryDirectory() as folder:
        if kept_up:
            start(Path(folder))
        try:
            with open_store(Path(folder), address()) as store:
                yield store
        finally:
            stop(Path(folder))


def load(store: Store, count: int) -> list[float]:
    """Load the samples and return the seconds of each batch, the drawing left out."""
    seconds = []
    for batch in batches(drawn(count), BATCH):
        begin = time.perf_counter()
        save(store, batch)
        seconds.append(time.perf_counter() - begin)
    return seconds


def save(store: Store, batch: tuple[Drawn, ...]) -> None:
    store.save_samples([line.sample for line in batch])
    store.save_graphs([line.graph for line in batch], [line.raw for line in batch])


def rate(seconds: list[float], count: int) -> float:
    return round(count / sum(seconds), 1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--kept-up", action="store_true")
    arguments = parser.parse_args()
    with new_graph(kept_up=arguments.kept_up) as store:
        seconds = load(store, arguments.samples)
        tenth = max(1, len(seconds) // 10)
        figures = {
            "samples": arguments.samples,
            "samples_per_second": rate(seconds, arguments.samples),
            "first_tenth": rate(seconds[:tenth], tenth * BATCH),
            "last_tenth": rate(seconds[-tenth:], tenth * BATCH),
        }
        if arguments.again:
            figures["again"] = rate(load(store, arguments.samples), arguments.samples)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
