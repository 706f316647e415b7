"""V-COCO (Gupta and Malik 2015): what each person does, and with which object, as released by the vcoco package."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from kbe_graph.datasets.view import KeyedView, Thing, ThingLink, View, pixel_sizes
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.record import Record
from kbe_graph.files.stream import json_items

# The 24 actions with their role, as relations between the person and the object.
RELATIONS = {
    "hold obj": "holding",
    "sit instr": "sitting on",
    "ride instr": "riding",
    "look obj": "looking at",
    "hit instr": "hitting with",
    "hit obj": "hitting",
    "eat obj": "eating",
    "eat instr": "eating with",
    "jump instr": "jumping on",
    "lay instr": "lying on",
    "talk_on_phone instr": "talking on",
    "carry obj": "carrying",
    "throw obj": "throwing",
    "catch obj": "catching",
    "cut instr": "cutting with",
    "cut obj": "cutting",
    "work_on_computer instr": "working on",
    "ski instr": "skiing on",
    "surf instr": "surfing on",
    "skateboard instr": "skateboarding on",
    "drink instr": "drinking from",
    "kick obj": "kicking",
    "read obj": "reading",
    "snowboard instr": "snowboarding on",
}


class _Pair(NamedTuple):
    action: int
    object: int
    human_box: tuple[float, ...]
    object_box: tuple[float, ...]


def read_actions(file: Path, wanted: set[str] | None = None) -> Iterator[KeyedView]:
    """Return a view of each wanted image in which somebody does something; raises DatasetError."""
    names: dict[str, list[str]] = {"classes": [], "objects": []}
    pairs_by_image: dict[str, list[_Pair]] = {}
    for item in json_items(file):
        if item.section in names:
            names[item.section].append(str(item.value))
        elif item.section == "annotations" and isinstance(item.value, dict):
            record = Record(file, item.value, item=f"annotation {item.key}")
            key = image_id(record.text("file_name"))
            if wanted is None or key in wanted:
                pairs_by_image.setdefault(key, []).extend(_pairs(record))
    if not (names["classes"] and names["objects"]):
        raise DatasetError(file, "no lists 'classes' and 'objects' of names; give V-COCO's instances file")
    yield from (KeyedView(key, _view(file, key, pairs, names)) for key, pairs in pairs_by_image.items() if pairs)


def _pairs(record: Record) -> Iterator[_Pair]:
    columns = [record.fields.get(field, []) for field in ("actions", "objects", "boxes_h", "boxes_o")]
    lengths = {len(column) if isinstance(column, list) else -1 for column in columns}
    if len(lengths) > 1 or -1 in lengths:
        raise record.error("'actions', 'objects', 'boxes_h' and 'boxes_o' must be lists of one length")
    for action, thing, human, other in zip(*columns, strict=True):
        row = Record(record.file, {"boxes_h": human, "boxes_o": other}, item=record.place)
        if not (isinstance(action, int) and isinstance(thing, int)):
            raise record.error(f"'actions' and 'objects' must hold numbers; found {action!r} and {thing!r}")
        yield _Pair(action, thing, pixel_sizes(row, "boxes_h", 4), pixel_sizes(row, "boxes_o", 4))


def _view(file: Path, key: str, pairs: Sequence[_Pair], names: dict[str, list[str]]) -> View:
    things: dict[str, Thing] = {}
    links: dict[ThingLink, None] = {}
    for pair in pairs:
        try:
            action, name = names["classes"][pair.action], names["objects"][pair.object]
        except IndexError:
            raise DatasetError(file, f"image {key}: action {pair.action} or object {pair.object} has no name") from None
        human, other = _thing("person", pair.human_box), _thing(name, pair.object_box)
        things.update({human.id: human, other.id: other})
        links[ThingLink(human.id, RELATIONS.get(action, action), other.id)] = None
    return View("action", f"{file.name}#{key}", tuple(things.values()), tuple(links))


def _thing(name: str, box: tuple[float, ...]) -> Thing:
    left, top, right, bottom = box
    return Thing(f"{name} {box}", name, (right - left) * (bottom - top))
