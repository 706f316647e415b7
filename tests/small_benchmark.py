"""Three questions on two pictures, with captions and detected labels: the smallest benchmark that evolves."""

import gzip
import json
from pathlib import Path

from kbe_graph import Workspace

ROWS = [
    {"question_id": 1, "image_id": 7, "question": "What animal is this?", "answers": ["giraffe"] * 8 + ["zebra"] * 2},
    {"question_id": 2, "image_id": 7, "question": "What color is the animal?", "answers": ["brown"] * 10},
    {"question_id": 3, "image_id": 8, "question": "What is the man riding?", "answers": ["horse"] * 10},
]


def write_small_benchmark(folder: Path) -> None:
    """Write ``okvqa.jsonl``, ``captions.tsv.gz`` and ``detections.json``."""
    rows = (row | {"image_path": f"COCO_val2014_{row['image_id']:012}.jpg"} for row in ROWS)
    (folder / "okvqa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with gzip.open(folder / "captions.tsv.gz", "wt") as stream:
        stream.write('7\t[{"caption": "a giraffe standing next to a tree.", "conf": 0.7}]\n')
        stream.write('8\t[{"caption": "a man riding a horse on a beach.", "conf": 0.7}]\n')
    labels = {
        "7": {"question": "", "detections": ["giraffe", "tree"]},
        "8": {"question": "", "detections": ["man", "horse"]},
    }
    (folder / "detections.json").write_text(json.dumps(labels))


def load_small_benchmark(work: Workspace, folder: Path) -> None:
    """Write, load and extract the benchmark."""
    write_small_benchmark(folder)
    work.load(folder / "okvqa.jsonl", name="okvqa", split="val")
    work.extract(captions=folder / "captions.tsv.gz", detections=folder / "detections.json")
