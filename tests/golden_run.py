"""A small run by rules and by a scripted model, whose results are stored in tests/golden.

``python tests/golden_run.py`` rewrites these files; review the changes before you commit them.
"""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from commands import kbe_here, kept_up
from golden_model import answer_step
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, late_response
from pyarrow import parquet
from simulated_answers import simulated_answers

import kbe_graph
from kbe_graph.figures.results import results
from kbe_graph.store import Address

FILES = Path(__file__).with_name("golden") / "files"
RUNS = {
    "rules": ("--hops", 3),
    "merged": ("--mode", "merged", "--hops", 3),
    "paper": ("--mode", "paper", "--hops", 2, "--reselect", "all"),
}
GOLDENS = [
    FILES / name for name in (*(f"{run}.jsonl" for run in RUNS), "exports.json", "evaluated.json", "simulated.json")
]


@contextmanager
def begun(place: Path, delay: float = 0.0) -> Iterator[LoopbackServer]:
    """Create a workspace with two benchmarks and a running engine, and serve a model that takes up to ``delay`` s."""

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return late_response(delay * (len(request.content) % 8) / 7, answer_step(request))

    demo = kbe_graph.demo()
    with LoopbackServer(otherwise=answer) as server:
        kbe_here("-w", place, "init")
        (place / "kbe.toml").write_text(f'[models.verify]\nbase_url = "{server.url}"\nmodel = "second"\n')
        with kept_up(place):
            for name in ("read", "seen"):
                kbe_here("-w", place, "load", demo.samples, "--name", name, "--split", "val", "--images", demo.images)
            yield server


def steps(server: LoopbackServer, *runs: str) -> list[tuple[object, ...]]:
    """List the commands that build graphs from annotations and with a model, and evolve the runs."""
    model = ("--base-url", server.url, "--model", "first")
    return [
        ("extract", "--benchmark", "read", "--sample", 6, "--scene-graphs", kbe_graph.demo().scene_graphs),
        ("extract", "--benchmark", "seen", "--sample", 6, "--by", "model", "--mode", "paper", *model),
        *(("evolve", "--run", run, *RUNS[run], *(model if run != "rules" else ())) for run in runs),
    ]


def questions(place: Path, run: str, address: Address | None = None) -> bytes:
    """Export the questions of a run, including dropped ones, as JSON Lines: raw ones first, sorted by id."""
    kbe_here("-w", place, "export", "jsonl", place / "questions.jsonl", "--run", run, "--all", address=address)
    lines = (place / "questions.jsonl").read_bytes().splitlines(keepends=True)
    return b"".join(sorted(lines, key=lambda line: (b'"run": "raw"' not in line, json.loads(line)["id"])))


def make(folder: Path) -> None:
    """Make all runs in the new workspace ``W`` of a folder, and write the results beside it in the goldens' format."""
    place = folder / "W"
    with begun(place) as server:
        for step in steps(server, *RUNS):
            kbe_here("-w", place, *step)
        for run in RUNS:
            (folder / f"{run}.jsonl").write_bytes(questions(place, run))
        (folder / "exports.json").write_bytes(as_json(exports(place)))
        (folder / "evaluated.json").write_bytes(as_json(evaluated(place)))
        (folder / "simulated.json").write_bytes(as_json(simulated()))
        kbe_here("-w", place, "db", "backup", folder / "graph.kbe")


def exports(place: Path) -> dict[str, str]:
    """Hash each file that an export writes, by path; for Parquet hash the rows, as the bytes vary."""
    kbe_here("-w", place, "export", "all", place / "all", "--run", "merged", "--images-as", "none")
    files = sorted(file for file in (place / "all").rglob("*") if file.is_file() and file.name != "README.md")
    return {str(file.relative_to(place / "all")): hashlib.sha256(_content(file)).hexdigest() for file in files}


def _content(file: Path) -> bytes:
    if file.suffix == ".parquet":
        table = parquet.read_table(file)
        return json.dumps([str(table.schema.remove_metadata()), table.to_pylist()], default=str).encode()
    return re.sub(rb'"sha256": "\w+"', b"", file.read_bytes()) if file.name == "croissant.json" else file.read_bytes()


def evaluated(place: Path) -> dict[str, Any]:
    """Compute the evaluation of answers of which two in three are right."""
    lines = [json.loads(line) for line in questions(place, "merged").splitlines()]
    kept = [line for line in lines if line["status"] == "kept"]
    rows = [{"id": line["id"], "answer": line["answer"] if n % 3 else "a thing"} for n, line in enumerate(kept)]
    (place / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ("--run", "merged", "--predictions", place / "answers.jsonl", "--model", "subject", "--json")
    return json.loads(kbe_here("-w", place, "evaluate", *options))


def simulated() -> dict[str, Any]:
    """Compute the figures of two models of known skill."""
    answers = simulated_answers({"good": 0.8, "weak": 0.5}, samples=40, variants={"blind": 0.3}, seed=3)
    return results(answers).as_mapping()


def as_json(value: object) -> bytes:
    """Serialise a value as JSON, with numbers to nine digits, as further ones depend on the machine."""
    return (json.dumps(_rounded(value), indent=1, ensure_ascii=False) + "\n").encode()


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return float(f"{value:.9g}")
        case dict():
            return {name: _rounded(part) for name, part in value.items()}
        case list() | tuple():
            return [_rounded(part) for part in value]
    return value


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        make(Path(made))
        for golden in GOLDENS:
            shutil.copyfile(Path(made) / golden.name, golden)
