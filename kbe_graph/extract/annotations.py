"""Annotations of images, read from any mix of files, and kept by image."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kbe_graph.extract.actions import read_actions
from kbe_graph.extract.caption_files import read_captions
from kbe_graph.extract.detections import read_detections
from kbe_graph.extract.instances import read_instances
from kbe_graph.extract.scene_graphs import read_scene_graphs
from kbe_graph.extract.view import SOURCES, Noted, View
from kbe_graph.text import fold
from kbe_graph.types import Sample

_Reader = Callable[[Path, set[str] | None], Iterator[Noted]]


@dataclass(frozen=True, slots=True)
class Annotations:
    """What is known of images: views by image id (or question id), in an order that does not depend on the files'."""

    views: Mapping[str, tuple[View, ...]]

    def of(self, sample: Sample) -> tuple[View, ...]:
        """Return the views of a sample's image, and those made for its question.

        Ids of images and of questions are both numbers and may be equal, so a view by question id must tell its question,
        and puts views away that were made for other questions.
        """
        name = sample.id.rsplit("/", 1)[-1]
        own = [view for view in self.views.get(name, ()) if _made_for(view, sample, name)]
        image = self.views.get(sample.image_id, ()) if sample.image_id != name else ()
        return (*(view for view in image if not (own and view.question)), *own)


def _made_for(view: View, sample: Sample, name: str) -> bool:
    return fold(view.question) == fold(sample.question) if view.question else not name.isdecimal()


def read_annotations(
    *,
    scene_graphs: Sequence[Path] = (),
    instances: Sequence[Path] = (),
    captions: Sequence[Path] = (),
    detections: Sequence[Path] = (),
    actions: Sequence[Path] = (),
    wanted: set[str] | None = None,
) -> Annotations:
    """Read annotation files, gzip or not; the shape of each is told by its content.

    ``wanted`` are the ids of images and questions to keep; all are kept without it. The files may be far larger than the
    memory. Raises DatasetError naming file, line or item, and field.
    """
    files: tuple[tuple[_Reader, Sequence[Path]], ...] = (
        (read_scene_graphs, scene_graphs),
        (read_instances, instances),
        (read_captions, captions),
        (read_actions, actions),
        (read_detections, detections),
    )
    return _by_key(noted for read, paths in files for path in paths for noted in read(path, wanted))


def _by_key(found: Iterable[Noted]) -> Annotations:
    views: dict[str, dict[View, None]] = {}
    for key, view in found:
        views.setdefault(key, {})[view] = None
    return Annotations({key: tuple(sorted(each, key=_order)) for key, each in views.items()})


def _order(view: View) -> tuple[int, str, str, str]:
    return SOURCES.index(view.source), view.ref, view.evidence, repr(view.things)
