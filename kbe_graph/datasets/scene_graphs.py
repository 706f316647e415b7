"""Scene graphs: GQA (Hudson and Manning 2019) and Visual Genome (Krishna et al. 2017)."""

from collections.abc import Iterator
from pathlib import Path

from kbe_graph.datasets.view import KeyedView, Thing, ThingLink, View, pixel_size, record_parts
from kbe_graph.files.image import image_id
from kbe_graph.files.record import Record
from kbe_graph.files.stream import json_records

_LOOKED_FOR = "looked for GQA's object of images, or Visual Genome's list with 'objects' and 'relationships'"


def read_scene_graphs(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Return a view of each wanted image; raises DatasetError naming the image and the field."""
    for item, record in json_records(file, wanted):
        if "objects" not in record.fields:
            raise record.error(f"no 'objects' field; {_LOOKED_FOR}")
        key = image_id(record.text("image_id")) if item.listed else item.key
        if wanted is None or key in wanted:
            things, links = _visual_genome(record) if item.listed else _gqa(record)
            _check(record, things, links)
            yield KeyedView(key, View("scene graph", f"{file.name}#{key}", things, links))


def _check(record: Record, things: tuple[Thing, ...], links: tuple[ThingLink, ...]) -> None:
    ids = {thing.id for thing in things}
    strangers = [(link.relation, end) for link in links for end in (link.subject, link.object) if end not in ids]
    for relation, end in strangers:
        raise record.error(f"relation {relation!r} names object {end!r}, which is not among 'objects'")


def _gqa(record: Record) -> tuple[tuple[Thing, ...], tuple[ThingLink, ...]]:
    if not isinstance(record.fields["objects"], dict):
        raise record.error(f"'objects' must be an object of objects by id; {_LOOKED_FOR}")
    named = list(zip(record.fields["objects"], record_parts(record, "objects"), strict=True))
    things = tuple(Thing(name, part.text("name"), _area(part), _attributes(part)) for name, part in named)
    links = tuple(
        ThingLink(name, link.text("name"), link.text("object"))
        for name, part in named
        for link in record_parts(part, "relations")
    )
    return things, links


def _visual_genome(record: Record) -> tuple[tuple[Thing, ...], tuple[ThingLink, ...]]:
    objects = record_parts(record, "objects")
    things = tuple(Thing(part.text("object_id"), _name(part), _area(part), _attributes(part)) for part in objects)
    links = tuple(
        ThingLink(link.text("subject_id"), link.text("predicate"), link.text("object_id"))
        for link in record_parts(record, "relationships")
        if link.has("predicate")
    )
    return things, links


def _name(part: Record) -> str:
    return next(iter(part.texts("names")), "") or part.text("name")


def _attributes(part: Record) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.texts("attributes")))


def _area(part: Record) -> float:
    return pixel_size(part, "w") * pixel_size(part, "h")
