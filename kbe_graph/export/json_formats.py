"""The JSON formats: Inspect, evalscope and Label Studio."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kbe_graph.export.release import Release, ReleaseItem
from kbe_graph.export.release_format import LeftOut, ReleaseFormat
from kbe_graph.export.selection import ImagesAs
from kbe_graph.export.vqa_files import write_list
from kbe_graph.files.resources import data
from kbe_graph.types import FORMS

IMAGES = "images"


def _write_inspect(folder: Path, release: Release) -> LeftOut:
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as stream:
        for item in release:
            stream.write(json.dumps(_inspect_line(folder, item, release), ensure_ascii=False) + "\n")
    task = data("export/inspect_task.txt").read_text(encoding="utf-8")
    (folder / "kbe_task.py").write_text(f"# {release.warning}\n{task}", encoding="utf-8")
    return {}


def _inspect_line(folder: Path, item: ReleaseItem, release: Release) -> dict[str, Any]:
    images = [{"type": "image", "image": address} for address in image_addresses(folder, item, release.images_as)]
    return {
        "id": item.id,
        "input": [{"role": "user", "content": [*images, {"type": "text", "text": item.text}]}],
        "target": list(item.letters or item.names),
        "choices": list(item.options) or None,
        "metadata": {**item.metadata(), "key": item.key, "facts": list(item.facts), "canary": release.warning},
    }


def image_addresses(folder: Path, item: ReleaseItem, images_as: ImagesAs) -> list[str]:
    """Build the addresses of an item's images: data URLs, or paths in the folder, where the images are written."""
    if images_as == "embed":
        return [picture.data_url() for picture in item.pictures]
    return [f"{IMAGES}/{picture.place(folder / IMAGES, images_as)}" for picture in item.pictures]


INSPECT = ReleaseFormat(
    "inspect",
    "Write a folder for Inspect (inspect_ai): questions.jsonl and a task.",
    FORMS,
    ("copy", "link", "embed", "none"),
    _write_inspect,
)


_PLACE = re.compile(r"<(?=(?:image|video|audio) \d+>)")


def _write_evalscope(folder: Path, release: Release) -> LeftOut:
    has_options = release.form in {"choice", "true-false"}
    for group, items in release.groups.items():
        with (folder / f"{group}_{'val' if has_options else 'test'}.jsonl").open("w", encoding="utf-8") as stream:
            for item in items:
                addresses = image_addresses(folder, item, release.images_as)
                line = _choice(item, addresses) if has_options else _open(item, addresses)
                line |= {"id": item.id, **item.metadata(), "key": item.key, "canary": release.warning}
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")
    return {}


def _open(item: ReleaseItem, addresses: Sequence[str]) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"type": "image_url", "image_url": {"url": address}} for address in addresses]
    parts.append({"type": "text", "text": f"{_plain(item.text)}\nAnswer in a word or a short phrase."})
    return {"messages": [{"role": "user", "content": parts}], "answer": item.answer}


def _choice(item: ReleaseItem, addresses: Sequence[str]) -> dict[str, Any]:
    places = "".join(f"<image {number}> " for number, _ in enumerate(addresses, 1))
    line: dict[str, Any] = {"options": [*map(_plain, item.options)], "answer": item.letters[0]}
    line["question"] = f"{places}{_plain(item.text)}"
    return line | {f"image_{number}": address for number, address in enumerate(addresses, 1)}


def _plain(text: str) -> str:
    return _PLACE.sub("< ", text)


EVALSCOPE = ReleaseFormat(
    "evalscope",
    "Write a folder for evalscope, with one file per hop.",
    ("open", "choice", "fill", "true-false"),
    ("copy", "link", "embed", "none"),
    _write_evalscope,
)


_SERVED = "/data/local-files/?d="  # Label Studio's prefix for local files


def _write_label_studio(folder: Path, release: Release) -> LeftOut:
    with (folder / "tasks.json").open("w", encoding="utf-8") as stream:
        write_list(stream, (_task(folder, item, release) for item in release))
    view = data("export/labelling.xml").read_text(encoding="utf-8")
    (folder / "labelling.xml").write_text(f"<!-- {release.warning} -->\n{view}", encoding="utf-8")
    return {}


def _task(folder: Path, item: ReleaseItem, release: Release) -> dict[str, Any]:
    return {
        "data": {
            "id": item.id,
            "image": _served_image(folder, item, release.images_as),
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


def _served_image(folder: Path, item: ReleaseItem, images_as: ImagesAs) -> str:
    address = next(iter(image_addresses(folder, item, images_as)), item.sample.image)
    return f"{_SERVED}{folder.name}/{address}" if item.pictures and images_as != "embed" else address


LABEL_STUDIO = ReleaseFormat(
    "labelstudio",
    "Write a folder with Label Studio tasks, for people to review questions.",
    FORMS,
    ("copy", "link", "embed", "none"),
    _write_label_studio,
    most_images=1,
)
