"""Annotations of images, read from files of several formats and grouped by image."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from kbe_graph.datasets.scene_annotations import (
    read_captions,
    read_detections,
    read_instances,
    read_scene_graphs,
)
from kbe_graph.datasets.view import KeyedView, View, rank
from kbe_graph.files.opening import refuse_bomb, sha256_of
from kbe_graph.plugins import Registry
from kbe_graph.text import fold
from kbe_graph.types import Sample


class Reader(NamedTuple):
    """A reader for one annotation format: its description (for help texts), and a function that yields views.

    ``read`` takes a file and the ids of images and questions to keep (None: all), and yields a view for each.
    """

    about: str
    read: Callable[[Path, set[str] | None], Iterator[KeyedView]]


READERS: Registry[Reader] = Registry(
    "annotation format",
    "kbe_graph.annotations",
    {
        "scene_graphs": Reader("GQA or Visual Genome scene graphs.", read_scene_graphs),
        "instances": Reader("COCO instances.", read_instances),
        "captions": Reader("COCO captions, or a TSV with one caption per image.", read_captions),
        "detections": Reader("Detected labels, by image or question id.", read_detections),
    },
)


@dataclass(frozen=True, slots=True)
class Annotations:
    """Annotations of images: views by image id (or question id), in an order independent of that of the files.

    ``files`` are the files that were read, each by name and SHA-256.
    """

    views: Mapping[str, tuple[View, ...]]
    files: tuple[tuple[str, str], ...] = ()

    @property
    def captioned(self) -> bool:
        """Whether there are captions, which need a parser."""
        return any(view.source == "caption" for views in self.views.values() for view in views)

    def of(self, sample: Sample) -> tuple[View, ...]:
        """Return the views of a sample's image, and those made for its question.

        Image and question ids are both numbers and may coincide, so a view by question id must name its question; such
        views replace those of the image that were made for other questions.
        """
        name, asked = _own_id(sample), fold(sample.question)
        is_name = not name.isdecimal()
        own = [
            view for view in self.views.get(name, ()) if (fold(view.question) == asked if view.question else is_name)
        ]
        image = [view for view in self.views.get(sample.image_id, ()) if view not in own]
        if own or sample.image_id == name:
            image = [view for view in image if not view.question]
        return (*image, *own)

    def part(self, samples: Sequence[Sample]) -> "Annotations":
        """Return the annotations of these samples only."""
        keys = {key for sample in samples for key in (sample.image_id, _own_id(sample))}
        return replace(self, views={key: self.views[key] for key in sorted(keys & self.views.keys())})


def _own_id(sample: Sample) -> str:
    return sample.id.rsplit("/", 1)[-1]


def read_annotations(*, wanted: set[str] | None = None, **files: Sequence[Path]) -> Annotations:
    """Read annotation files by format name (``READERS``), gzipped or not; their content determines the variant.

    ``wanted`` are the ids of images and questions to keep (default: all). The files may be far larger than the memory.
    Raises DatasetError naming file, line or item, and field, and InputError for an unknown format.
    """
    readers = {name: READERS.require(name) for name in sorted(files)}
    for path in (path for paths in files.values() for path in paths):
        refuse_bomb(path)
    views = _by_key(
        view for name, paths in files.items() for path in paths for view in readers[name].read(path, wanted)
    )
    hashes = {(path.name, sha256_of(path)) for paths in files.values() for path in paths}
    return Annotations(views, tuple(sorted(hashes)))


def _by_key(annotated: Iterable[KeyedView]) -> Mapping[str, tuple[View, ...]]:
    views: dict[str, dict[View, None]] = {}
    for key, view in annotated:
        views.setdefault(key, {})[view] = None
    return {key: tuple(sorted(each, key=_order)) for key, each in views.items()}


def _order(view: View) -> tuple[int, str, str, str]:
    return rank(view.source), view.ref, view.evidence, repr(view.things)
