"""Two pictures of which the same words hold with other answers: the smallest benchmark whose questions have twins."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

from PIL import Image

from kbe_graph import Workspace

ROWS = [
    {"question_id": 1, "image_id": 7, "question": "What is the man doing?", "answers": ["riding"] * 10},
    {"question_id": 2, "image_id": 7, "question": "What is the woman doing?", "answers": ["holding"] * 10},
    {"question_id": 3, "image_id": 8, "question": "What animal is this?", "answers": ["elephant"] * 10},
]
PEOPLE = [*enumerate(ROWS[:2])]
Captions = Mapping[int, tuple[str, str]]
CAPTIONS: Captions = {
    7: ("a man riding a horse.", "a woman holding an umbrella."),
    8: ("a man riding an elephant.", "a woman holding a kite."),
}
RIDDEN = ["horse", "elephant", "camel", "donkey", "zebra", "bull", "pony", "mule", "ostrich", "reindeer", "yak"]
HELD = ["umbrella", "kite", "book", "phone", "guitar", "flag", "basket", "candle", "hammer", "violin", "spoon"]
MANY = {number: (f"a man riding a {RIDDEN[number]}.", f"a woman holding a {HELD[number]}.") for number in range(11)}


def load_twin_cases(work: Workspace, folder: Path, captions: Captions = CAPTIONS) -> None:
    """Load the benchmark with its pictures, extract its graphs, and evolve it by rules as the run ``r``.

    With other ``captions``, two questions are asked of each picture.
    """
    two = [row | {"question_id": 2 * image + place, "image_id": image} for image in captions for place, row in PEOPLE]
    for image in captions:
        Image.new("RGB", (64, 48), (20 * image, 90, 90)).save(folder / f"COCO_val2014_{image:012}.jpg")
    asked = ROWS if captions is CAPTIONS else two
    rows = (row | {"image_path": f"COCO_val2014_{row['image_id']:012}.jpg"} for row in asked)
    (folder / "okvqa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with gzip.open(folder / "captions.tsv.gz", "wt") as stream:
        for image, own in captions.items():
            stream.write(f"{image}\t{json.dumps([{'caption': each, 'conf': 0.7} for each in own])}\n")
    work.load(folder / "okvqa.jsonl", name="okvqa", split="val", images=folder)
    work.extract(captions=folder / "captions.tsv.gz")
    work.evolve(run="r", hops=1)
