"""How long the embedded engine takes to start and to stop, and a command with an engine that is warm or not.

    python bench/engine_start.py [--times 5]

Prints one line of JSON, medians in seconds: a new graph until the first answer, one that is there until the first
answer, and the end; ``kbe status`` with an engine of its own and, in turn, with one that is warm, and their ratio.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kbe_graph.config import WARM
from kbe_graph.store import open_store
from kbe_graph.store.embedded import stop

KBE = Path(sys.executable).with_name("kbe")


def once(folder: Path) -> tuple[float, float]:
    """Return the seconds until the first answer, and those of the end."""
    begin = time.perf_counter()
    with open_store(folder) as store:
        store.samples()
        middle = time.perf_counter()
    return middle - begin, time.perf_counter() - middle


def command(workspace: str, *arguments: str, warm: int) -> float:
    """Return the seconds of a command."""
    begin = time.perf_counter()
    environ = os.environ | {WARM: str(warm)}
    subprocess.run([KBE, "-w", workspace, *arguments], check=True, capture_output=True, env=environ)
    return time.perf_counter() - begin


def pair(workspace: str) -> tuple[float, float]:
    """Return the seconds of a command with an engine of its own, and of one that finds it warm."""
    cold = command(workspace, "status", warm=0)
    command(workspace, "status", warm=60)
    warm = command(workspace, "status", warm=60)
    stop(Path(workspace) / ".kbe")
    return cold, warm


def main() -> None:
    """Measure, and print the medians."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        new, _ = once(Path(folder))
        starts, stops = zip(*(once(Path(folder)) for _ in range(arguments.times)), strict=True)
    with tempfile.TemporaryDirectory() as folder:
        command(folder, "init", warm=0)
        colds, warms = zip(*(pair(folder) for _ in range(arguments.times)), strict=True)
    cold, warm = statistics.median(colds), statistics.median(warms)
    engine = {"new": new, "start": statistics.median(starts), "stop": statistics.median(stops)}
    figures = engine | {"command": cold, "warm command": warm, "ratio": cold / warm}
    print(json.dumps({name: round(value, 2) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
