"""How fast samples with their graphs are loaded, and whether it slows down as the graph grows.

    python bench/load.py [--samples 50000] [--again]

Prints one line of JSON: samples a second over all, in the first and in the last tenth; with ``--again`` also of a
second load of the same samples, which changes nothing; then those of a script that does it by the driver alone, a
statement for each triplet and a transaction for each sample, on ``PLAIN`` further samples, and the ratio to the last
tenth. On the embedded engine, or on the server of NEO4J_URI, where graphs are saved in several lanes at once, as
``kbe extract`` saves them there.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import neo4j
from synthetic import Drawn, batches, drawn

from kbe_graph.store import Address, Store, open_store
from kbe_graph.types import Sample, Triplet

BATCH = 2000  # samples in one call; the store cuts it into transactions
LANES = 3  # of extraction on a server: one more than it has workers, on two cores
PART = 100  # samples that a lane saves at once, as extraction does
PLAIN = 500
MERGE_SAMPLE = "MERGE (sample:Sample {id: $id}) SET sample += $properties"
MERGE_TRIPLET = """
MERGE (subject:Entity {id: $sample + '|' + $subject}) SET subject.sample = $sample
MERGE (object:Entity {id: $sample + '|' + $object}) SET object.sample = $sample
MERGE (subject)-[edge:VISUAL {id: $id}]->(object) SET edge.sample = $sample, edge.relation = $relation
"""


def address() -> Address | None:
    if not os.environ.get("NEO4J_URI"):
        return None
    return Address(os.environ["NEO4J_URI"], os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"])


@contextmanager
def new_graph() -> Iterator[Store]:
    """Give an empty graph: of the server, or of an embedded engine."""
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder), address()) as store:
        yield store


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
    if store.connection.place.workspace is None:
        with ThreadPoolExecutor(LANES) as lanes:
            list(lanes.map(partial(save_graphs, store), batches(batch, PART)))
    else:
        save_graphs(store, batch)


def save_graphs(store: Store, batch: tuple[Drawn, ...]) -> None:
    store.save_graphs([line.graph for line in batch], [line.raw for line in batch])


def load_plainly(store: Store, lines: Iterable[Drawn]) -> float:
    """Load samples as a notebook does, and return the seconds."""
    begin = time.perf_counter()
    place = store.connection.place
    with store.connection.driver.session(database=place.address.database) as session:
        for line in lines:
            session.execute_write(merge_one, replace(line.sample, id=f"plain/{line.sample.id}"), line.graph.visual)
    return time.perf_counter() - begin


def merge_one(transaction: neo4j.ManagedTransaction, sample: Sample, triplets: Iterable[Triplet]) -> None:
    properties = {"question": sample.question, "answer": sample.answer, "image": sample.image}
    transaction.run(MERGE_SAMPLE, id=sample.id, properties=properties).consume()
    for triplet in triplets:
        transaction.run(
            MERGE_TRIPLET,
            sample=sample.id,
            subject=triplet.subject.key,
            object=triplet.object.key,
            id=f"{sample.id}|{triplet.id}",
            relation=triplet.relation,
        ).consume()


def rate(seconds: list[float], count: int) -> float:
    return round(count / sum(seconds), 1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    with new_graph() as store:
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
        figures["plain_per_second"] = round(PLAIN / load_plainly(store, drawn(PLAIN)), 1)
        figures["ratio"] = round(figures["last_tenth"] / figures["plain_per_second"], 2)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
