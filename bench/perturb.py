"""How many pictures a second each operation changes on two cores, and whether memory stays flat.

    python bench/perturb.py [--seconds 10] [--pictures 1000]

The photos of the demo (640 pixels on the longer side) are decoded, changed, checked and coded as PNG, as for a variant.
Prints a line of JSON an operation, and one of memory: the resident megabytes of one process after each tenth of so many
pictures, the operations in turn.
"""

import argparse
import itertools
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import psutil

from kbe_graph.datasets.view import Thing
from kbe_graph.perturb.operation import NotEligible, Original
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS
from kbe_graph.perturb.picture_recipe import perturb_picture
from kbe_graph.types import Question, Sample

DEMO = Path(__file__).parents[1] / "kbe_graph" / "data" / "demo"
FILES = sorted((DEMO / "images").glob("*.jpg"))
CORES = 2
# beside the thing that is asked about, one that every photo lets go
THINGS = (Thing("1", "oven", box=(200, 200, 300, 300)), Thing("2", "ball", box=(30, 30, 90, 90)))
TEXT, ANSWER = "What is the oven used for?", "heating"
ORIGINAL = Original(
    Sample("own/val/1", "own", "val", TEXT, ANSWER),
    Question("own/val/1@raw/0", "own/val/1", "raw", 0, "raw", TEXT, ANSWER, ()),
    THINGS,
)


def change(name: str, number: int) -> bool:
    """Return whether the operation gave a variant of the photo of this number."""
    rng = np.random.default_rng(number)
    try:
        perturb_picture(FILES[number % len(FILES)], [PICTURE_OPERATIONS[name]], ORIGINAL, rng)
    except NotEligible:
        return False
    return True


def changed_for(name: str, first: int, seconds: float) -> tuple[int, float]:
    """Return how many pictures one process changed, and in how many seconds; it is warm when it begins."""
    change(name, first)
    begin, number = time.perf_counter(), first
    while (took := time.perf_counter() - begin) < seconds:
        change(name, number)
        number += 1
    return number - first, took


def speed(name: str, seconds: float) -> float:
    """Return the pictures a second of two processes."""
    with ProcessPoolExecutor(CORES) as pool:
        rows = list(pool.map(changed_for, [name] * CORES, (0, 11), [seconds] * CORES))
    return sum(done / took for done, took in rows)


def memory(pictures: int) -> list[int]:
    """Return the resident megabytes after each tenth of so many pictures."""
    process, sizes = psutil.Process(), []
    names = itertools.cycle(PICTURE_OPERATIONS)
    for number, name in zip(range(1, pictures + 1), names, strict=False):
        change(name, number)
        if number % (pictures // 10) == 0:
            sizes.append(round(process.memory_info().rss / (1 << 20)))
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--pictures", type=int, default=1000)
    arguments = parser.parse_args()
    for name in PICTURE_OPERATIONS:
        print(
            json.dumps({"operation": name, "pictures a second": round(speed(name, arguments.seconds), 1)}), flush=True
        )
    print(json.dumps({"pictures": arguments.pictures, "MB": memory(arguments.pictures)}))


if __name__ == "__main__":
    main()
