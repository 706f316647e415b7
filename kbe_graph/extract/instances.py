"""COCO instances (Lin et al. 2014): every object of 80 categories, with its size."""

from collections.abc import Iterator
from pathlib import Path

from kbe_graph.datasets.image import image_id
from kbe_graph.errors import DatasetError
from kbe_graph.extract.part import size
from kbe_graph.extract.stream import records
from kbe_graph.extract.view import Noted, Thing, View


def read_instances(file: Path, wanted: set[str] | None = None) -> Iterator[Noted]:
    """Return a view of each wanted image; crowds count as one thing. Raises DatasetError."""
    names: dict[str, str] = {}
    found: dict[str, list[tuple[str, str, float]]] = {}
    for item, record in records(file, wanted):
        if item.section == "categories":
            names[record.text("id")] = record.text("name")
        elif item.section == "annotations":
            if "category_id" not in record.fields:
                raise record.error("no 'category_id' field; give COCO's instances, not its captions")
            key = image_id(record.text("image_id"))
            if wanted is None or key in wanted:
                row = record.text("id"), record.text("category_id"), size(record, "area")
                found.setdefault(key, []).append(row)
    if not names:
        raise DatasetError(file, "no list 'categories' of objects; give COCO's instances file")
    for key, rows in found.items():
        if unknown := {category for _, category, _ in rows} - set(names):
            raise DatasetError(file, f"image {key}: category {unknown.pop()!r} is not among 'categories'")
        things = tuple(Thing(name, names[category], area) for name, category, area in rows)
        yield Noted(key, View("coco instances", f"{file.name}#{key}", things))
