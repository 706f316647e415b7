"""Two pictures of which the same words hold with other answers: the smallest benchmark whose questions have twins."""

import gzip
import json
from pathlib import Path

from PIL import Image

from kbe_graph import Workspace

ROWS = [
    {"question_id": 1, "image_id": 7, "question": "What is the man doing?", "answers": ["riding"] * 10},
    {"question_id": 2, "image_id": 7, "question": "What is the woman doing?", "answers": ["holding"] * 10},
    {"question_id": 3, "image_id": 8, "question": "What animal is this?", "answers": ["elephant"] * 10},
]
CAPTIONS = {
    7: ("a man riding a horse.", "a woman holding an umbrella."),
    8: ("a man riding an elephant.", "a woman holding a kite."),
}


def load_twin_cases(work: Workspace, folder: Path) -> None:
    """Load the benchmark with its pictures, extract its graphs, and evolve it by rules as the run ``r``."""
    for image in CAPTIONS:
        Image.new("RGB", (64, 48), (20 * image, 90, 90)).save(folder / f"COCO_val2014_{image:012}.jpg")
    rows = (row | {"image_path": f"COCO_val2014_{row['image_id']:012}.jpg"} for row in ROWS)
    (folder / "okvqa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with gzip.open(folder / "captions.tsv.gz", "wt") as stream:
        for image, captions in CAPTIONS.items():
            stream.write(f"{image}\t{json.dumps([{'caption': each, 'conf': 0.7} for each in captions])}\n")
    work.load(folder / "okvqa.jsonl", name="okvqa", split="val", images=folder)
    work.extract(captions=folder / "captions.tsv.gz")
    work.evolve(run="r", hops=1)
