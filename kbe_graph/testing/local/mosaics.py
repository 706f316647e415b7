"""A tiny benchmark of pictures that the local model can read: an icon each, and the question what it is."""

import json
import random
from pathlib import Path

from kbe_graph.testing.local.icons import draw_mosaic, icon_shapes

QUESTION = "What is in the picture?"
FILE = "mosaics.jsonl"


def write_mosaics(folder: Path, *, count: int = 4, seed: int = 0) -> Path:
    """Write ``count`` samples (at most 24) with their pictures to the folder, and return the file that ``read`` takes.

    The same seed gives the same samples.
    """
    chosen = random.Random(seed).sample(sorted(icon_shapes()), count)
    (folder / "images").mkdir(parents=True, exist_ok=True)
    lines = []
    for word in chosen:
        image = f"images/{word}.png"
        draw_mosaic([word]).save(folder / image)
        sample = {"id": word, "image": image, "question": QUESTION, "answer": word, "answers": [word]}
        lines.append(f"{json.dumps(sample)}\n")
    (folder / FILE).write_text("".join(lines), encoding="utf-8")
    return folder / FILE
