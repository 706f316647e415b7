"""What it costs to back a graph up, and to put the backup into another one, whose backup must have the same bytes.

    python bench/backup.py [--samples 50000]

The graph holds that many synthetic samples with their triplets, in an embedded engine for long work, or on the server
of NEO4J_URI, which must be empty. Prints one line of JSON: nodes and edges together, MB of the file, and the seconds of
a backup, of a mere reading of all rows, of the restore and of the second backup, and the peak memory of this process in
MB before and after the backups. Exit code 1 where the bytes differ.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from load import load, new_graph

from kbe_graph.store.backup import everything


def seconds(work: Callable[[], object]) -> float:
    """Return how long some work takes."""
    begin = time.perf_counter()
    work()
    return round(time.perf_counter() - begin, 1)


def memory() -> int:
    """Return the most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def main() -> None:
    """Load, back up, restore, back up again, and compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=50_000)
    samples: int = parser.parse_args().samples
    with tempfile.TemporaryDirectory() as folder, new_graph() as store:
        first, second = Path(folder) / "first.kbe", Path(folder) / "second.kbe"
        load(store, samples)
        figures: dict[str, object] = {"samples": samples, "memory before": memory()}
        figures["backup"] = seconds(lambda: store.backup(first))
        figures["rows alone"] = seconds(lambda: [None for _ in everything(store.connection)])
        figures["memory"] = memory()
        figures["restore"] = seconds(lambda: store.restore(first, replace=True))
        figures["again"] = seconds(lambda: store.backup(second))
        figures["MB"] = first.stat().st_size >> 20
        figures["rows"] = sum(row["count"] for row in store.connection.read("count_all"))
        figures["same"] = first.read_bytes() == second.read_bytes()
    print(json.dumps(figures))
    sys.exit(not figures["same"])


if __name__ == "__main__":
    main()
