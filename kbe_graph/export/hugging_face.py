"""Hugging Face datasets: a folder that ``load_dataset`` reads, with a card and a description in Croissant."""

import json
from pathlib import Path

from kbe_graph.export.croissant import croissant
from kbe_graph.export.parquet_file import dataset_settings, table_path, write_parquet
from kbe_graph.export.release import Release
from kbe_graph.export.release_format import README, LeftOut, ReleaseFormat
from kbe_graph.types import FORMS

_CARD = """\
---
pretty_name: {name}
language:
- en
license: other
license_name: by-row
task_categories:
- visual-question-answering
{settings}---
"""


def _write(folder: Path, release: Release) -> LeftOut:
    with_images = release.images_as != "none"
    for group, items in release.groups.items():
        write_parquet(folder / table_path(group), items, release, with_images=with_images)
    card = _CARD.format(name=release.name, settings=dataset_settings(release, with_images=with_images))
    (folder / README).write_text(card, encoding="utf-8")
    description = croissant(folder, release, with_images=with_images)
    (folder / "croissant.json").write_text(json.dumps(description, indent=2, ensure_ascii=False), encoding="utf-8")
    return {}


HUGGINGFACE = ReleaseFormat(
    "huggingface",
    "Write a folder that datasets.load_dataset reads: Parquet with images, a card, and Croissant.",
    FORMS,
    ("embed", "none"),
    _write,
    extra="parquet",
)
