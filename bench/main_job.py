"""The main job on real input: load, extract, three hops, export; seconds of each, questions a hop, samples a second.

``seconds`` are of the clock, and so depend on what else the machine does; ``CPU s`` are what kbe's processes, workers
included, took of the processor, ``engine CPU s`` what the embedded engine took. ``samples/s`` are all samples by the
seconds of all commands, their start and that of the engine included.

``python bench/main_job.py DATA [--benchmark okvqa|aokvqa] [--neo4j 5.26]`` where DATA holds
``okvqa/val_dev_half.jsonl.gz``, ``aokvqa/val_dev_half.jsonl.gz``, ``coco_captions_tags/`` and ``s3vqa_okvqa/``. With
``--neo4j`` it is done again on that server (see tests/neo4j_server.py), and ``identical`` says whether the exports
are the same to the byte.
"""

import argparse
import contextlib
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import neo4j_server
from cost import cost_of

KBE = Path(sys.executable).with_name("kbe")


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder)
        figures: dict[str, object] = {"embedded": _job(arguments, own / "embedded", os.environ)}
        if arguments.neo4j:
            with _server(arguments.neo4j, own / "home") as environ:
                figures[f"neo4j {arguments.neo4j}"] = _job(arguments, own / "server", environ)
            exports = [(own / name / "out.jsonl").read_bytes() for name in ("embedded", "server")]
            figures["identical"] = exports[0] == exports[1]
        print(json.dumps(figures))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--benchmark", default="okvqa", choices=["okvqa", "aokvqa"])
    parser.add_argument("--neo4j", choices=list(neo4j_server.VERSIONS))
    return parser.parse_args()


def _job(
    arguments: argparse.Namespace, workspace: Path, environ: "os._Environ[str] | dict[str, str]"
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
    times = {step: cost_of([[KBE, "-w", workspace, *words]], workspace, environ) for step, words in steps.items()}
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
def _server(version: str, home: Path) -> Iterator[dict[str, str]]:
    server = neo4j_server.start(version, folder=home)
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
