"""A question about a photo of the demo, and the facts known about the photo."""

from pathlib import Path

from kbe_graph.datasets.view import Thing
from kbe_graph.perturb.eligible import Original
from kbe_graph.types import Question, Sample

DEMO = Path(__file__).parents[1] / "kbe_graph" / "data" / "demo"
PHOTO = DEMO / "images" / "000000397133.jpg"


def asked(
    text: str = "What is the man doing?",
    answer: str = "baking",
    objects: tuple[Thing, ...] = (),
    **fields: tuple[str, ...],
) -> Original:
    """Build a raw question."""
    sample = Sample("own/val/1", "own", "val", text, answer, **fields)  # type: ignore[arg-type]
    return Original(sample, Question("own/val/1@raw/0", "own/val/1", "raw", 0, "raw", text, answer, ()), objects)
