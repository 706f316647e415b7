"""Simple icons, drawn by code, that the computed vision projector recognises; each stands for a word."""

import json
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kbe_graph.errors import ResourceError

if TYPE_CHECKING:
    from PIL import Image, ImageDraw


SIDE = 32  # pixels of an icon, and of a patch of the projector
PLACES = 5  # icons in a row of a mosaic


@cache
def icon_shapes() -> dict[str, str]:
    """Load the drawing of each icon, by its word: shapes with their corners in pixels."""
    lines = Path(__file__).with_name("icons.tsv").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("\t") for line in lines)
    return {word: shapes for word, _, shapes in pairs}


def draw_icon(word: str) -> "Image.Image":
    """Draw the icon of a word, black on white, 32 pixels square. Raises ResourceError if there is none."""
    from PIL import Image, ImageDraw

    if word not in icon_shapes():
        raise ResourceError(f"no icon {word!r}; there are {', '.join(icon_shapes())}")
    picture = Image.new("L", (SIDE, SIDE), "white")
    pencil = ImageDraw.Draw(picture)
    for shape in icon_shapes()[word].split(";"):
        name, *numbers = shape.split()
        _draw(pencil, name, [int(number) for number in numbers])
    return picture.convert("RGB")


def draw_mosaic(words: Sequence[str]) -> "Image.Image":
    """Draw an image of five by five cells with the icons of the words in reading order, the rest white."""
    from PIL import Image

    if len(words) > PLACES**2:
        raise ResourceError(f"{len(words)} icons do not fit in a mosaic of {PLACES**2}; give fewer")
    picture = Image.new("RGB", (SIDE * PLACES, SIDE * PLACES), "white")
    for place, word in enumerate(words):
        row, column = divmod(place, PLACES)
        picture.paste(draw_icon(word), (column * SIDE, row * SIDE))
    return picture


def _draw(pencil: "ImageDraw.ImageDraw", name: str, corners: list[int]) -> None:
    match name:
        case "box":
            pencil.rectangle(corners, fill="black")
        case "ellipse":
            pencil.ellipse(corners, fill="black")
        case "hole":
            pencil.ellipse(corners, fill="white")
        case "gap":
            pencil.rectangle(corners, fill="white")
        case "pie":
            pencil.pieslice(corners, 180, 360, fill="black")
        case "line":
            pencil.line(corners, fill="black", width=2)
        case _:
            pencil.polygon(corners, fill="black")


QUESTION = "What is in the picture?"
FILE = "mosaics.jsonl"


def write_mosaics(folder: Path, *, count: int = 4, seed: int = 0) -> Path:
    """Write ``count`` samples (at most 24) with their images to the folder, and return the file for ``read``.

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
