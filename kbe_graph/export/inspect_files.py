"""Inspect: a line a question, and a task that reads them."""

import json
from pathlib import Path
from typing import Any

from kbe_graph.export.picture import ImagesAs
from kbe_graph.export.release import Release, ReleaseItem
from kbe_graph.export.release_format import LeftOut, ReleaseFormat
from kbe_graph.files.resources import data
from kbe_graph.types import FORMS

IMAGES = "images"


def _write(folder: Path, release: Release) -> LeftOut:
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as stream:
        for item in release:
            stream.write(json.dumps(_line(folder, item, release), ensure_ascii=False) + "\n")
    task = data("export/inspect_task.txt").read_text(encoding="utf-8")
    (folder / "kbe_task.py").write_text(f"# {release.warning}\n{task}", encoding="utf-8")
    return {}


def _line(folder: Path, item: ReleaseItem, release: Release) -> dict[str, Any]:
    content = [{"type": "text", "text": item.text}]
    if address := image_address(folder, item, release.images_as):
        content.insert(0, {"type": "image", "image": address})
    return {
        "id": item.id,
        "input": [{"role": "user", "content": content}],
        "target": list(item.letters or item.names),
        "choices": list(item.options) or None,
        "metadata": {**item.metadata(), "key": item.key, "facts": list(item.facts), "canary": release.warning},
    }


def image_address(folder: Path, item: ReleaseItem, images_as: ImagesAs) -> str:
    """Return where an item's image is: a path within the folder, where it is put, or the image itself; or nothing."""
    if item.picture is None:
        return ""
    if images_as == "embed":
        return item.picture.data_url()
    return f"{IMAGES}/{item.picture.place(folder / IMAGES, images_as)}"


INSPECT = ReleaseFormat(
    "inspect",
    "Write a folder that Inspect (inspect_ai) evaluates: questions.jsonl and a task.",
    FORMS,
    ("copy", "link", "embed", "none"),
    _write,
)
