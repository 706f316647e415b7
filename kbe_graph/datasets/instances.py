"""COCO instances (Lin et al. 2014): every object of 80 categories, with its size."""

from collections.abc import Iterator
from pathlib import Path

from kbe_graph.datasets.view import KeyedView, Thing, View, pixel_size
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.stream import json_records


def read_instances(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Return a view of each wanted image; crowds count as one thing. Raises DatasetError."""
    names: dict[str, str] = {}
    rows_by_image: dict[str, list[tuple[str, str, float]]] = {}
    for item, record in json_records(file, wanted):
        if item.section == "categories":
            names[record.text("id")] = record.text("name")
        elif item.section == "annotations":
            if "category_id" not in record.fields:
                raise record.error("no 'category_id' field; give COCO's instances, not its captions")
            key = image_id(record.text("image_id"))
            if wanted is None or key in wanted:
                row = record.text("id"), record.text("category_id"), pixel_size(record, "area")
                rows_by_image.setdefault(key, []).append(row)
    if not names:
        raise DatasetError(file, "no list 'categories' of objects; give COCO's instances file")
    for key, rows in rows_by_image.items():
        if unknown := {category for _, category, _ in rows} - set(names):
            raise DatasetError(file, f"image {key}: category {unknown.pop()!r} is not among 'categories'")
        things = tuple(Thing(name, names[category], area) for name, category, area in rows)
        yield KeyedView(key, View("coco instances", f"{file.name}#{key}", things))
