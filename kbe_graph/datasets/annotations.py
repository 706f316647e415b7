"""Annotations of images, read from files of several formats and grouped by image."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kbe_graph.datasets.format import FIELDS, plain_name
from kbe_graph.datasets.view import (
    Box,
    KeyedView,
    Thing,
    ThingLink,
    View,
    box_of,
    first_mark,
    image_lines,
    picture_key,
    pixel_size,
    rank,
    record_parts,
)
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.opening import first_bytes, first_line, refuse_bomb, sha256_of, text_lines
from kbe_graph.files.record import Record, json_items, json_records
from kbe_graph.files.records import open_source
from kbe_graph.plugins import Registry
from kbe_graph.text import fold, quoted
from kbe_graph.types import Sample

_LOOKED_FOR = "looked for GQA's object of images, or Visual Genome's list with 'objects' and 'relationships'"


def read_scene_graphs(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Yield a view of each wanted image; raises DatasetError naming the image and the field."""
    for item, record in json_records(file, wanted=wanted):
        if "objects" not in record.fields:
            raise record.error(f"no 'objects' field; {_LOOKED_FOR}")
        key = picture_key(record.text("image_id"), wanted) if item.listed else item.key
        if wanted is None or key in wanted:
            things, links = _visual_genome(record) if item.listed else _gqa(record)
            _check(record, things, links)
            yield KeyedView(key, View("scene graph", f"{file.name}#{key}", things, links))


def _check(record: Record, things: tuple[Thing, ...], links: tuple[ThingLink, ...]) -> None:
    ids = {thing.id for thing in things}
    for link in links:
        if strangers := {link.subject, link.object} - ids:
            problem = f"relation {link.relation!r} names object {min(strangers)!r}, which is not among 'objects'"
            raise record.error(problem)


def _gqa(record: Record) -> tuple[tuple[Thing, ...], tuple[ThingLink, ...]]:
    if not isinstance(record.fields["objects"], dict):
        raise record.error(f"'objects' must be an object of objects by id; {_LOOKED_FOR}")
    named = list(zip(record.fields["objects"], record_parts(record, "objects"), strict=True))
    things = tuple(_named_thing(name, part.text("name"), part) for name, part in named)
    links = tuple(
        ThingLink(name, link.text("name"), link.text("object"))
        for name, part in named
        for link in record_parts(part, "relations")
    )
    return things, links


def _visual_genome(record: Record) -> tuple[tuple[Thing, ...], tuple[ThingLink, ...]]:
    objects = record_parts(record, "objects")
    things = tuple(_named_thing(part.text("object_id"), _name(part), part) for part in objects)
    links = tuple(
        ThingLink(link.text("subject_id"), link.text("predicate"), link.text("object_id"))
        for link in record_parts(record, "relationships")
        if link.has("predicate")
    )
    return things, links


def _name(part: Record) -> str:
    return next(iter(part.texts("names")), "") or part.text("name")


def _named_thing(id_: str, name: str, part: Record) -> Thing:
    area = pixel_size(part, "w") * pixel_size(part, "h")
    attributes = tuple(dict.fromkeys(part.texts("attributes")))
    return Thing(id_, name, area, attributes, box_of([part.fields.get(field) for field in ("x", "y", "w", "h")]))


def read_instances(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Yield a view of each wanted image; a crowd counts as one thing. Raises DatasetError."""
    names: dict[str, str] = {}
    files = _file_names(file, wanted)
    rows_by_image: dict[str, list[tuple[str, str, float, Box | None]]] = {}
    for item, record in json_records(file, "categories", "annotations"):
        if item.section == "categories":
            names[record.text("id")] = record.text("name")
        elif item.section == "annotations":
            if "category_id" not in record.fields:
                raise record.error("no 'category_id' field; give COCO's instances, not its captions")
            image = record.text("image_id")
            key = picture_key(files.get(image, image), wanted)
            if wanted is None or key in wanted:
                row = record.text("id"), record.text("category_id"), pixel_size(record, "area"), _box(record)
                rows_by_image.setdefault(key, []).append(row)
    if not names:
        raise DatasetError(file, "no list 'categories' of objects; give COCO's instances file")
    for key, rows in rows_by_image.items():
        if unknown := {category for _, category, _, _ in rows} - set(names):
            raise DatasetError(file, f"image {key}: category {unknown.pop()!r} is not among 'categories'")
        things = tuple(Thing(name, names[category], area, box=box) for name, category, area, box in rows)
        yield KeyedView(key, View("coco instances", f"{file.name}#{key}", things))


def _file_names(file: Path, wanted: set[str] | None) -> Mapping[str, str]:
    """Return the names of the files of a COCO file's images, by id; empty if no wanted picture has such a name."""
    images = (record for _, record in json_records(file, "images") if record.has("id"))
    names = {record.text("id"): record.optional("file_name") for record in images}
    names = {id_: name for id_, name in names.items() if name and image_id(name) != id_}
    is_named = wanted is None or any(picture_key(name, wanted) in wanted for name in names.values())
    return names if is_named else {}


def _box(record: Record) -> Box | None:
    box = record.fields.get("bbox")
    return box_of(box) if isinstance(box, list) else None


_CAPTIONS = ("caption", "captions", "text", "description", "sentence", "sentences", "comment")
_IMAGES = tuple(map(plain_name, (*FIELDS["image_id"], *FIELDS["image"], *FIELDS["id"])))
_GIVE_CAPTIONS = (
    "give COCO's captions, a table with the columns 'image' and 'caption', a JSON object of captions by image, or "
    "lines of id, tab, caption"
)


def read_captions(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Yield each wanted caption as an unparsed view, with its words as evidence; raises DatasetError."""
    for row in _caption_rows(file, wanted):
        name, image = _first(_CAPTIONS, row.fields), _first(_IMAGES, row.fields)
        if not (name and image):
            raise row.error(f"no {'image_id' if name else 'caption'!r} field; {_GIVE_CAPTIONS}")
        key = picture_key(row.text(image), wanted)
        if wanted is None or key in wanted:
            if not isinstance(row.fields[name], str | list):
                raise row.error(f"{name!r} must be text; found {str(row.fields[name])[:60]!r}")
            ref = row.optional("id") or key
            for caption in row.texts(name, most=None):
                row.refuse_long(name, [caption])
                yield KeyedView(key, View("caption", f"{file.name}#{ref}", evidence=caption))


def _first(names: Sequence[str], fields: Iterable[str]) -> str:
    own = {plain_name(field): field for field in fields}
    return next((own[name] for name in names if name in own), "")


def _caption_rows(file: Path, wanted: set[str] | None) -> Iterator[Record]:
    mark, first = first_mark(file), first_line(first_bytes(file))
    if first.startswith("PAR1") or _first(_CAPTIONS, _header(first)):
        yield from open_source(file).records()
    elif mark in "[{":
        yield from _json_captions(file, wanted)
    elif "\t[" in first:
        for key, rows in image_lines(text_lines(file), file, wanted):
            yield from (Record(file, {"image_id": key, **row.fields}, row.line) for row in rows)
    else:
        for number, line in text_lines(file):
            name, tab, caption = line.partition("\t")
            if not tab and line.strip():
                raise DatasetError(
                    file, f"no tab after the image id; found {line[:60]!r}; {_GIVE_CAPTIONS}", line=number
                )
            if caption.strip():
                yield Record(file, {"image_id": _NUMBER.sub("", name.strip()), "caption": caption}, number)


_NUMBER = re.compile(r"#\d+$")  # Flickr's captions of one image are numbered
_DELIMITER = re.compile(r"[\t,;]")


def _header(line: str) -> Iterable[str]:
    """Return the columns of a table's first line, or of its first row of JSON; empty for other JSON."""
    if line.lstrip()[:1] not in "[{":
        return [name.strip().strip('"') for name in _DELIMITER.split(line)]
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return value if isinstance(value, dict) and "annotations" not in value else ()


def _json_captions(file: Path, wanted: set[str] | None) -> Iterator[Record]:
    """Yield the captions of a list, of COCO's list in an object, or else the members of an object by image."""
    rows = (record for _, record in json_records(file, "annotations"))
    if (first := next(rows, None)) is not None:
        files = _file_names(file, wanted) if first_mark(file) == "{" else {}
        for row in chain([first], rows):
            image = row.optional("image_id")
            yield replace(row, fields={**row.fields, "image_id": files[image]}) if image in files else row
        return
    found = False
    for item in json_items(file) if first_mark(file) == "{" else ():
        found = True
        fields = item.value if isinstance(item.value, dict) else {"caption": item.value}
        yield Record(file, {**fields, "image_id": item.key}, item=f"item {quoted([item.key])}")
    if not found:
        raise DatasetError(file, f"holds no captions; {_GIVE_CAPTIONS}")


_LOOKED_FOR_LABELS = "looked for an object with 'detections' by id, or lines of id, tab, list of 'class' and 'conf'"


def read_detections(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Yield a view of each wanted image or question, with its labels in file order; raises DatasetError."""
    detections = _members(file, wanted) if first_mark(file) in "[{" else _label_lines(file, wanted)
    for key, labels, question in detections:
        things = tuple(Thing(label, label) for label in dict.fromkeys(labels))
        yield KeyedView(key, View("detection", f"{file.name}#{key}", things, question=question))


def _members(file: Path, wanted: set[str] | None) -> Iterator[tuple[str, Sequence[str], str]]:
    for item in json_items(file):
        fields = item.value if isinstance(item.value, dict) else {}
        record = Record(file, fields, item=f"item {quoted([item.key])}")
        if item.listed or "detections" not in fields:
            raise DatasetError(file, f"{record.item}: no 'detections' field; {_LOOKED_FOR_LABELS}")
        if wanted is None or picture_key(item.key, wanted) in wanted:
            labels = fields["detections"]
            if not (isinstance(labels, list) and all(isinstance(label, str) for label in labels)):
                raise record.error(f"'detections' must be a list of texts; found {str(labels)[:60]!r}")
            words = [_word(record, "detections", label) for label in record.texts("detections")]
            yield picture_key(item.key, wanted), words, record.optional("question")


def _label_lines(file: Path, wanted: set[str] | None) -> Iterator[tuple[str, Sequence[str], str]]:
    for key, rows in image_lines(text_lines(file), file, wanted):
        yield key, [_word(row, "class", row.text("class")) for row in rows], ""


def _word(record: Record, field: str, label: str) -> str:
    if not any(sign.isalpha() for sign in label):
        raise record.error(
            f"{field!r} holds {label!r} where a label must be a word; give the names of the detected things"
        )
    return label


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
        "captions": Reader("Captions: COCO's, a table, or lines or an object by image id.", read_captions),
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


def first_key(**files: Sequence[Path]) -> str:
    """Return the first id of an image or a question in annotation files, by format name; empty if there is none."""
    views = (view for name, paths in files.items() for path in paths for view in READERS.require(name).read(path, None))
    return next((view.key for view in views), "")


def _by_key(annotated: Iterable[KeyedView]) -> Mapping[str, tuple[View, ...]]:
    views: dict[str, dict[View, None]] = {}
    for key, view in annotated:
        views.setdefault(key, {})[view] = None
    return {key: tuple(sorted(each, key=_order)) for key, each in views.items()}


def _order(view: View) -> tuple[int, str, str, str]:
    return rank(view.source), view.ref, view.evidence, repr(view.things)
