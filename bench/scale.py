"""What so many samples cost: seconds, memory and disk of each command, by one client or by several at once.

    python bench/scale.py 1000 10000 [--clients 1 2 4] [--hops 3]

The benchmark is the demo's samples over and over, each under an id of its own, so that the slope is that of real
samples. On the embedded engine, or on the server of NEO4J_URI, whose graph must be empty and is emptied afterwards;
several clients need a server. Prints a line of JSON for each number of samples and clients: of each command the
seconds, the processor seconds of all clients with their workers and of the embedded engine, and the peak memory of the
largest process so far, engines that have ended among them, and of the engine, in MB; then the minutes of all, and the
disk.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

from cost import cost_of

import kbe_graph as kbe
from kbe_graph.config import read_config
from kbe_graph.store import graph_address, open_store
from kbe_graph.store.restore import empty

KBE = Path(sys.executable).with_name("kbe")


def write_samples(file: Path, count: int) -> None:
    """Write the demo's samples over and over."""
    lines = [json.loads(line) for line in kbe.demo().samples.read_text(encoding="utf-8").splitlines()]
    with file.open("w", encoding="utf-8") as stream:
        for number, line in enumerate(islice(cycle(lines), count)):
            key = next(name for name in ("question_id", "id") if name in line)
            stream.write(json.dumps(line | {key: f"{number:07}-{line[key]}"}) + "\n")


def run(folder: Path, clients: int, *arguments: object) -> dict[str, float]:
    """Run a command by several clients at once, each in a workspace of its own, and return what it cost."""
    return cost_of([[KBE, "-w", folder / str(number), *arguments] for number in range(clients)], folder / "0")._asdict()


def size_of(folder: Path) -> int:
    """Return how many MB a folder takes."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) >> 20


def measure(samples: int, clients: int, hops: int) -> dict[str, object]:
    """Return what each command costs."""
    figures: dict[str, object] = {"samples": samples, "clients": clients}
    demo = kbe.demo()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        file = folder / "samples.jsonl"
        write_samples(file, samples)
        run(folder, clients, "init")
        began = time.perf_counter()
        figures["load"] = run(folder, 1, "load", file, "--name", "many", "--images", demo.images)
        figures["extract"] = run(folder, clients, "extract", "--scene-graphs", demo.scene_graphs)
        figures["evolve"] = run(folder, clients, "evolve", "--hops", hops, "--run", "r")
        figures["export"] = run(folder, 1, "export", "jsonl", folder / "out.jsonl")
        figures["minutes"] = round((time.perf_counter() - began) / 60, 1)
        figures["disk MB"] = size_of(folder / "0" / ".kbe")
        subprocess.run([str(KBE), "-w", str(folder / "0"), "db", "stop"], check=False, capture_output=True)
    return figures


def empty_server() -> None:
    """Take everything out of the server's graph."""
    with tempfile.TemporaryDirectory() as folder:
        address = graph_address(read_config(Path(folder)), os.environ)
        if address:
            with open_store(Path(folder), address) as store:
                empty(store.connection)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each number of samples and clients."""
    parser = argparse.ArgumentParser()
    parser.add_argument("samples", type=int, nargs="+")
    parser.add_argument("--clients", type=int, nargs="+", default=[1])
    parser.add_argument("--hops", type=int, default=3)
    options = parser.parse_args(arguments)
    for samples in options.samples:
        for clients in options.clients:
            empty_server()
            print(json.dumps(measure(samples, clients, options.hops)), flush=True)
            empty_server()


if __name__ == "__main__":
    main()
