"""Label Studio: the questions as tasks for people who review them, with a labelling configuration."""

from pathlib import Path
from typing import Any

from kbe_graph.export.inspect_files import IMAGES, image_address
from kbe_graph.export.picture import ImagesAs
from kbe_graph.export.release import Release, ReleaseItem
from kbe_graph.export.release_format import LeftOut, ReleaseFormat
from kbe_graph.export.vqa_files import write_list
from kbe_graph.files.resources import data
from kbe_graph.types import FORMS

_SERVED = "/data/local-files/?d="  # how Label Studio names a file of its own machine


def _write(folder: Path, release: Release) -> LeftOut:
    with (folder / "tasks.json").open("w", encoding="utf-8") as stream:
        write_list(stream, (_task(folder, item, release) for item in release))
    view = data("export/labelling.xml").read_text(encoding="utf-8")
    (folder / "labelling.xml").write_text(f"<!-- {release.warning} -->\n{view}", encoding="utf-8")
    return {}


def _task(folder: Path, item: ReleaseItem, release: Release) -> dict[str, Any]:
    return {
        "data": {
            "id": item.id,
            "image": _image(folder, item, release.images_as),
            "question": item.text,
            "answer": "; ".join(item.names),
            "options": "; ".join(item.options),
            "triplets": "\n".join(f"{part['subject']} | {part['relation']} | {part['object']}" for part in item.key),
            **item.metadata(),
            "key": item.key,
            "facts": "\n".join(item.facts),
            "canary": release.warning,
        }
    }


def _image(folder: Path, item: ReleaseItem, images_as: ImagesAs) -> str:
    address = image_address(folder, item, images_as)
    return f"{_SERVED}{folder.name}/{address}" if address.startswith(IMAGES) else address or item.sample.image


LABEL_STUDIO = ReleaseFormat(
    "labelstudio",
    "Write a folder with tasks for Label Studio, where people review questions.",
    FORMS,
    ("copy", "link", "embed", "none"),
    _write,
)
