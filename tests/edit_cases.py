"""A small server of `images/edits`, and questions whose pictures it changes."""

import io
from pathlib import Path
from typing import Any

import numpy as np
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, picture_reply
from PIL import Image

from kbe_graph.datasets.view import Thing
from kbe_graph.models import ModelBook
from kbe_graph.perturb.eligible import Original
from kbe_graph.types import Question, Sample

RED = (200, 0, 0)


def png(picture: Image.Image) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def painted(request: LoopbackRequest) -> Image.Image:
    """Paint the masked area red, and lighten the rest a little, as real servers do not preserve it exactly."""
    picture, mask = opened(request.form["image"]).convert("RGB"), opened(request.form["mask"])
    kept = mask.getchannel("A")
    lighter = picture.point(lambda value: min(255, value + 12))
    return Image.composite(lighter, Image.new("RGB", picture.size, RED), kept)


def paint(request: LoopbackRequest) -> LoopbackResponse:
    return picture_reply(png(painted(request)))


def edits_book(server: LoopbackServer, **settings: Any) -> ModelBook:
    """Build settings for a server that only supports small pictures, which are fast."""
    own = {"base_url": server.url, "model": "painter", "body": {"size": "384x256"}, **settings}
    return ModelBook({"base_url": "http://127.0.0.1:9/v1", "model": "chat", "edits": own}, environ={})


def photo(size: tuple[int, int] = (640, 480), seed: int = 0) -> Image.Image:
    """Draw clouds in all colours."""
    rng = np.random.default_rng(seed)
    return Image.fromarray(rng.integers(0, 256, (24, 32, 3), dtype=np.uint8)).resize(size, Image.Resampling.BICUBIC)


def pixels(picture: Image.Image) -> Any:
    return np.asarray(picture, dtype=np.int16)


def original(
    text: str = "What does the dog chase?", answer: str = "frisbee", objects: tuple[Thing, ...] | None = None
) -> Original:
    sample = Sample("b/s/1", "b", "s", text, answer)
    question = Question("b/s/1@r/0", sample.id, "r", 0, "raw", text, answer, ())
    known = (Thing("1", "dog", box=(20.0, 200.0, 180.0, 400.0)), Thing("2", "cup", box=(500.0, 300.0, 540.0, 350.0)))
    return Original(sample, question, known if objects is None else objects)


def calls_file(folder: Path) -> Path:
    return folder / "calls.sqlite"
