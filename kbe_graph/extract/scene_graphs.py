"""Scene graphs: GQA (Hudson and Manning 2019) and Visual Genome (Krishna et al. 2017)."""

from collections.abc import Iterator
from pathlib import Path

from kbe_graph.datasets.image import image_id
from kbe_graph.datasets.record import Record
from kbe_graph.extract.part import parts, size
from kbe_graph.extract.stream import records
from kbe_graph.extract.view import Link, Noted, Thing, View

_LOOKED_FOR = "looked for GQA's object of images, or Visual Genome's list with 'objects' and 'relationships'"


def read_scene_graphs(file: Path, wanted: set[str] | None = None) -> Iterator[Noted]:
    """Return a view of each wanted image; raises DatasetError naming the image and the field."""
    for item, record in records(file, wanted):
        if "objects" not in record.fields:
            raise record.error(f"no 'objects' field; {_LOOKED_FOR}")
        key = image_id(record.text("image_id")) if item.listed else item.key
        if wanted is None or key in wanted:
            things, links = _visual_genome(record) if item.listed else _gqa(record)
            _check(record, things, links)
            yield Noted(key, View("scene graph", f"{file.name}#{key}", things, links))


def _check(record: Record, things: tuple[Thing, ...], links: tuple[Link, ...]) -> None:
    ids = {thing.id for thing in things}
    strangers = [(link.relation, end) for link in links for end in (link.subject, link.object) if end not in ids]
    for relation, end in strangers:
        raise record.error(f"relation {relation!r} names object {end!r}, which is not among 'objects'")


def _gqa(record: Record) -> tuple[tuple[Thing, ...], tuple[Link, ...]]:
    if not isinstance(record.fields["objects"], dict):
        raise record.error(f"'objects' must be an object of objects by id; {_LOOKED_FOR}")
    named = list(zip(record.fields["objects"], parts(record, "objects"), strict=True))
    things = tuple(Thing(name, part.text("name"), _area(part), _attributes(part)) for name, part in named)
    links = tuple(
        Link(name, link.text("name"), link.text("object")) for name, part in named for link in parts(part, "relations")
    )
    return things, links


def _visual_genome(record: Record) -> tuple[tuple[Thing, ...], tuple[Link, ...]]:
    found = parts(record, "objects")
    things = tuple(Thing(part.text("object_id"), _name(part), _area(part), _attributes(part)) for part in found)
    links = tuple(
        Link(link.text("subject_id"), link.text("predicate"), link.text("object_id"))
        for link in parts(record, "relationships")
        if link.has("predicate")
    )
    return things, links


def _name(part: Record) -> str:
    return next(iter(part.texts("names")), "") or part.text("name")


def _attributes(part: Record) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.texts("attributes")))


def _area(part: Record) -> float:
    return size(part, "w") * size(part, "h")
