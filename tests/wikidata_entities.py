"""The entities of the data folder, their labels, and small entities built for test cases."""

import csv
import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from shared import data_folder

Json = dict[str, Any]


def entities_folder() -> Path:
    """Return the folder of the entities; skips the test if the data is missing."""
    return data_folder() / "wikidata_entities"


def entity_of(item: str) -> Json:
    """Read an entity of the data folder as it was fetched."""
    return _entity(entities_folder() / f"{item}.json.gz")


@cache
def _entity(file: Path) -> Json:
    return json.loads(gzip.decompress(file.read_bytes()))


@cache
def entity_labels() -> dict[str, str]:
    """Read the labels in the data folder: those of properties, items and units."""
    folder = entities_folder()
    with gzip.open(folder / "properties_2016.tsv.gz", "rt", encoding="utf-8") as file:
        properties = {row["pid"]: row["label"] for row in csv.DictReader(file, delimiter="\t")}
    labels = json.loads((folder / "labels_en.json").read_text(encoding="utf-8"))
    units = json.loads((folder / "units_en.json").read_text(encoding="utf-8"))
    return properties | labels | {unit: names[0] for unit, names in units.items()}


def claim(name: str, value: object = None, kind: str = "string", **more: object) -> Json:
    """Build a statement; without a value, ``more`` sets the snaktype."""
    snak = {"property": name, "snaktype": more.pop("snaktype", "value")}
    if value is not None:
        snak |= {"datavalue": {"value": value, "type": kind}}
    if "datatype" in more:
        snak["datatype"] = more.pop("datatype")
    return {"id": more.pop("id", f"Q1${name}"), "mainsnak": snak, "rank": "normal", **more}


def item_claim(name: str, target: str, **more: object) -> Json:
    """Build a statement whose value is an item."""
    value = {"entity-type": "item", "id": target}
    return claim(name, value, "wikibase-entityid", **{"datatype": "wikibase-item"} | more)


def quantity_claim(name: str, amount: str, unit: str = "1", **more: object) -> Json:
    """Build a statement whose value is a quantity."""
    unit = unit if unit == "1" else f"http://www.wikidata.org/entity/{unit}"
    return claim(name, {"amount": amount, "unit": unit}, "quantity", **{"datatype": "quantity"} | more)


def time_claim(name: str, time: str, precision: int, **more: object) -> Json:
    """Build a statement whose value is a time."""
    value = {"time": time, "precision": precision, "calendarmodel": "http://www.wikidata.org/entity/Q1985727"}
    return claim(name, value, "time", **{"datatype": "time"} | more)


def entity(*claims: Json, **more: object) -> Json:
    """Build an entity from these statements."""
    by_name: dict[str, list[Json]] = {}
    for number, each in enumerate(claims):
        by_name.setdefault(each["mainsnak"]["property"], []).append(each | {"id": f"{each['id']}-{number}"})
    return {"type": "item", "id": "Q1", "labels": {}, "claims": by_name, **more}


def qualified(name: str, snaktype: str = "value") -> Json:
    """Build the qualifiers of a statement: one, of this property."""
    return {name: [{"property": name, "snaktype": snaktype}]}
