"""The demo benchmark that travels with the package: photos, questions and scene graphs."""

from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import ResourceError
from kbe_graph.files.resources import data

NAME = "demo"
"""The benchmark's name, the first part of each sample's id."""


class Demo(NamedTuple):
    """Where the demo's files are: the samples, the scene graphs in the shape of GQA, and the folder of the photos."""

    samples: Path
    scene_graphs: Path
    images: Path


def demo_files() -> Demo:
    """Return the files of the demo; raises ResourceError where the package is not unpacked in a folder.

    >>> kbe.demo().samples.name
    'samples.jsonl'
    """
    folder = Path(str(data("demo")))
    if not folder.is_dir():
        raise ResourceError(f"the demo is not in a folder but at {str(folder)!r}; install kbe-graph unpacked")
    return Demo(folder / "samples.jsonl", folder / "scene_graphs.json", folder / "images")
