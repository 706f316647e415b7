"""How long the packaged facts take to be read, beside the same table read by csv.DictReader and by pandas.

    python bench/pack.py [--times 7]

Prints one line of JSON: medians in seconds, each reader in turn, and ratios. ``pack`` gives facts that were checked
(relations known, nothing empty, nothing twice) with the aliases of their objects, and an index by subject; the others
give rows of text. A ratio of 2 to csv means that all this takes as long again as reading the rows.
"""

import argparse
import csv
import gzip
import io
import json
import statistics
import time
from collections.abc import Callable

import pandas as pd

from kbe_graph.facts.pack import FACTS, read_pack
from kbe_graph.files.resources import data


def by_pack() -> int:
    return len(read_pack(data("pack")).facts)


def by_csv() -> int:
    text = gzip.decompress(data(f"pack/{FACTS}").read_bytes()).decode()
    return len(list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)))


def by_pandas() -> int:
    content = io.BytesIO(data(f"pack/{FACTS}").read_bytes())
    table = pd.read_csv(content, sep="\t", compression="gzip", dtype=str, quoting=csv.QUOTE_NONE, keep_default_na=False)
    return len(table)


READERS: dict[str, Callable[[], int]] = {"pack": by_pack, "csv": by_csv, "pandas": by_pandas}


def seconds(reader: Callable[[], int]) -> float:
    begin = time.perf_counter()
    reader()
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=7)
    arguments = parser.parse_args()
    rows = {name: reader() for name, reader in READERS.items()}  # warms them up
    if len(set(rows.values())) != 1:
        raise SystemExit(f"the readers found different numbers of rows: {rows}")
    runs = [{name: seconds(reader) for name, reader in READERS.items()} for _ in range(arguments.times)]
    medians = {name: statistics.median(run[name] for run in runs) for name in READERS}
    ratios = {f"pack / {name}": round(medians["pack"] / medians[name], 2) for name in ("csv", "pandas")}
    print(json.dumps({"facts": rows["pack"]} | {name: round(median, 3) for name, median in medians.items()} | ratios))


if __name__ == "__main__":
    main()
