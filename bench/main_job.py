"""The main job on real input: load, extract, three hops, export; seconds of each, questions a hop, samples a second.

``seconds`` are of the clock, and so depend on what else the machine does; ``CPU s`` are what kbe's processes, workers
included, took of the processor, ``engine CPU s`` what the embedded engine took. ``samples/s`` are all samples by the
seconds of all commands, their start and that of the engine included.

``python bench/main_job.py DATA [--benchmark okvqa|aokvqa] [--neo4j 5.26 2026] [--before KBE]`` where DATA holds
``okvqa/val_dev_half.jsonl.gz``, ``aokvqa/val_dev_half.jsonl.gz``, ``coco_captions_tags/`` and ``s3vqa_okvqa/``. With
``--neo4j`` it is done again on these servers (see tests/neo4j_server.py), with ``--before`` also by the command of
another version; ``identical`` says whether all exports are the same to the byte, and ``ratio`` how much quicker this
version is than the one before on the embedded engine.
"""

import argparse
import contextlib
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import neo4j_server
from cost import cost_of

KBE = Path(sys.executable).with_name("kbe")


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder)
        figures: dict[str, Any] = {}
        for engine in ("embedded", *arguments.neo4j):
            for command, words in {KBE: "", arguments.before: ", before"}.items():
                name = f"{engine}{words}"
                if command:
                    with _graph(engine, own / f"home of {name}") as environ:
                        figures[name] = _job(arguments, command, own / name, environ)
        exports = [(own / name / "out.jsonl").read_bytes() for name in figures]
        figures["identical"] = exports.count(exports[0]) == len(exports)
        if arguments.before:
            both = (figures[name]["samples/s"] for name in ("embedded", "embedded, before"))
            figures["ratio"] = round(next(both) / next(both), 2)
        print(json.dumps(figures))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--benchmark", default="okvqa", choices=["okvqa", "aokvqa"])
    parser.add_argument("--neo4j", nargs="+", choices=list(neo4j_server.VERSIONS), default=[])
    parser.add_argument("--before", type=Path)
    return parser.parse_args()


def _job(
    arguments: argparse.Namespace, command: Path, workspace: Path, environ: Mapping[str, str]
) -> dict[str, object]:
    data, name = arguments.data, arguments.benchmark
    captions = data / "coco_captions_tags" / "VinVL_base_val2014.tsv.gz"
    detections = data / "s3vqa_okvqa" / "val_detections.json.gz"
    steps = {
        "init": ["init"],
        "load": ["load", data / name / "val_dev_half.jsonl.gz", "--name", name, "--split", "val"],
        "extract": ["extract", "--captions", captions, "--detections", detections],
        "evolve": ["evolve", "--hops", "3", "--seed", "0", "--run", "bench"],
        "export": ["export", "jsonl", workspace / "out.jsonl"],
    }
    workspace.mkdir()
    times = {step: cost_of([[command, "-w", workspace, *words]], workspace, environ) for step, words in steps.items()}
    lines = [json.loads(line) for line in (workspace / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    hops = Counter(f"hop {line['hop']} {line['kind']}" for line in lines)
    total = sum(took.seconds for took in times.values())
    loaded = sum(1 for line in lines if line["kind"] == "raw")
    return {
        "seconds": {step: round(took.seconds, 1) for step, took in times.items()},
        "CPU s": {step: round(took.processor, 1) for step, took in times.items()},
        "engine CPU s": {step: round(took.engine, 1) for step, took in times.items()},
        "minutes": round(total / 60, 2),
        "kept": hops,
        "samples/s": round(loaded / total, 1),
    }


@contextlib.contextmanager
def _graph(engine: str, home: Path) -> Iterator[Mapping[str, str]]:
    """Give the variables by which a new graph is found: of a server of this version, or embedded."""
    if engine == "embedded":
        yield os.environ
        return
    server = neo4j_server.start(engine, folder=home)
    try:
        yield os.environ | {
            "NEO4J_URI": server.uri,
            "NEO4J_USERNAME": server.username,
            "NEO4J_PASSWORD": server.password,
        }
    finally:
        neo4j_server.stop(server)


if __name__ == "__main__":
    main()
