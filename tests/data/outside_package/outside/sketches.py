"""An annotation format: a line an image, what is seen with spaces between."""

from collections.abc import Iterator
from pathlib import Path

from kbe_graph.datasets.annotations import Reader
from kbe_graph.datasets.view import KeyedView, Thing, View


def read_sketches(file: Path, wanted: set[str] | None) -> Iterator[KeyedView]:
    """Give the things of each wanted image."""
    for line in file.read_text().splitlines():
        image, *names = line.split()
        if wanted is None or image in wanted:
            things = tuple(Thing(name, name) for name in names)
            yield KeyedView(image, View("sketch", f"{file.name}#{image}", things))


SKETCHES = Reader("Sketches: an image and what is seen in it, a line each.", read_sketches)
