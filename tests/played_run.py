"""The benchmark of the played replies, built from the folder of real data, and a run on it."""

import gzip
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import kbe_graph as kbe

PLAYED = Path(__file__).parent / "data" / "played"
SAMPLES = PLAYED / "samples.json"
OWN = PLAYED / "photos.jsonl"


def write_played_benchmarks(data: Path, folder: Path) -> list[Path]:
    """Write one file of samples per benchmark with the photos beside them, and return the files."""
    wanted: dict[str, set[str]] = {}
    for row in json.loads(SAMPLES.read_text(encoding="utf-8")):
        wanted.setdefault(row["benchmark"], set()).add(str(row["question_id"]))
    photos = {int(photo.stem): photo for photo in (data / "coco_mini" / "images").glob("*/*.jpg")}
    files = []
    for benchmark, ids in wanted.items():
        rows = [row for row in _rows(data, benchmark) if str(row["question_id"]) in ids]
        for row in rows:
            shutil.copy(photos[row["image_id"]], folder / Path(row["image_path"]).name)
        file = folder / f"{benchmark}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        files.append(file)
    for row in map(json.loads, OWN.read_text(encoding="utf-8").splitlines()):
        shutil.copy(photos[row["image_id"]], folder / row["image"])
    return [*files, Path(shutil.copy(OWN, folder))]


def _rows(data: Path, benchmark: str) -> Iterator[dict[str, Any]]:
    """Yield the questions of a benchmark that may have been played, each once."""
    seen = set[str]()
    for file in (*sorted((data / benchmark).glob("*.jsonl.gz")), data / "played" / f"{benchmark}_25.jsonl"):
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for row in map(json.loads, content.splitlines()):
            if str(row["question_id"]) not in seen:
                seen.add(str(row["question_id"]))
                yield _as_told(row) if "choices" in row else row


def _as_told(row: dict[str, Any]) -> dict[str, Any]:
    """Convert a row of A-OKVQA to the form shown to the readers: with the right choice as its answer."""
    people, place = row.pop("direct_answers"), row.pop("correct_choice_idx")
    return row | {"answer": row["choices"][place], "answers": people}


def evolve_played(
    work: kbe.Workspace,
    data: Path,
    folder: Path,
    url: str,
    *,
    run: Mapping[str, Any] = MappingProxyType({}),
    **model: Any,
) -> kbe.Run:
    """Load the samples into a workspace and their photos into a folder, and evolve them with an endpoint.

    ``run`` are options of the run, ``model`` those of the model.
    """
    for file in write_played_benchmarks(data, folder):
        work.load(file, name=file.stem, images=folder)
    options = kbe.ModelOptions("reader", base_url=url, **model)
    work.extract(model=options)
    return work.evolve(model=options, **{"run": "played", **run})
