"""The entities of the data folder as Turtle, in the format of Wikidata's query service."""

import csv
import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

PREFIXES = {
    "p": "http://www.wikidata.org/prop/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "wd": "http://www.wikidata.org/entity/",
    "wds": "http://www.wikidata.org/entity/statement/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "wikibase": "http://wikiba.se/ontology#",
}
_RANKS = {"preferred": 2, "normal": 1, "deprecated": 0}


class Property(NamedTuple):
    """A property: its English label, its RDF datatype, and the number of items that use it."""

    label: str
    datatype: str
    uses: int = 0


class WikidataFiles:
    """Turtle of the folder ``wikidata_entities``; ``ids`` maps each name to its item."""

    def __init__(self, data: Path) -> None:
        self.entities = data / "wikidata_entities"
        labels = json.loads((self.entities / "labels_en.json").read_text(encoding="utf-8"))
        units = json.loads((self.entities / "units_en.json").read_text(encoding="utf-8"))
        named = {item: label for item, label in labels.items() if item.startswith("Q")}
        named |= {item: names[0] for item, names in units.items()} | {"Q199": "1", "Q5": "human"}
        self.ids = {label: item for item, label in reversed(named.items())}

    @property
    def whole(self) -> list[str]:
        """The items whose statements are complete."""
        return [file.name.removesuffix(".json.gz") for file in sorted(self.entities.glob("Q*.json.gz"))]

    @cached_property
    def properties(self) -> Mapping[str, Property]:
        """All properties as they were in 2016, by id."""
        with gzip.open(self.entities / "properties_2016.tsv.gz", "rt", encoding="utf-8") as file:
            rows = csv.reader(file, delimiter="\t")
            next(rows)
            return {name: Property(label, datatype, int(uses)) for name, label, datatype, uses in rows}

    def write(self, file: Path) -> Path:
        """Write the entities, and return the file."""
        with file.open("w", encoding="utf-8") as turtle:
            turtle.writelines(f"@prefix {name}: <{address}> .\n" for name, address in PREFIXES.items())
            turtle.writelines(f"{line} .\n" for line in self._lines())
        return file

    def _lines(self) -> Iterator[str]:
        for name, (label, datatype, _) in self.properties.items():
            roles = (
                f"wikibase:claim p:{name} ; wikibase:statementProperty ps:{name} ; wikibase:statementValue psv:{name}"
            )
            yield f"wd:{name} rdfs:label {_literal(label)}@en ; wikibase:propertyType wikibase:{datatype} ; {roles}"
        for item in self.whole:
            yield from self._entity(json.loads(gzip.decompress((self.entities / f"{item}.json.gz").read_bytes())))
        yield from (f"wd:{item} rdfs:label {_literal(label)}@en" for label, item in self.ids.items())

    def _entity(self, entity: Mapping[str, Any]) -> Iterator[str]:
        about, label = entity["id"], entity["labels"]["en"]["value"]
        self.ids[label] = about
        yield f"wd:{about} wikibase:sitelinks {len(entity['sitelinks'])}"
        yield from (f"wd:{about} skos:altLabel {_literal(row['value'])}@en" for row in entity["aliases"].get("en", ()))
        for name, claims in entity["claims"].items():
            ranks = [_RANKS[claim["rank"]] for claim in claims]
            for claim, rank in zip(claims, ranks, strict=True):
                if value := _value(name, claim["mainsnak"]):
                    statement = f"wds:{claim['id'].replace('$', '-')}"
                    best = "wikibase:BestRank , " if rank == max(ranks) and rank > 0 else ""
                    limits = "".join(f" ; pq:{limit} true" for limit in _limits(claim))
                    yield f"wd:{about} p:{name} {statement}"
                    rank_name = "wikibase:Statement ; wikibase:rank wikibase:NormalRank"
                    yield f"{statement} a {best}{rank_name} ; {value}{limits}"
                    if name in {"P31", "P171", "P279"} and value.startswith(f"ps:{name} wd:"):
                        yield f"wd:{about} wdt:{name} {value.rpartition(' ')[2]}"


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _limits(claim: Mapping[str, Any]) -> Iterator[str]:
    """Yield the qualifiers of a statement that have a value, as RDF has no others."""
    for name, snaks in claim.get("qualifiers", {}).items():
        if any(snak["snaktype"] != "novalue" for snak in snaks):
            yield name


def _value(name: str, snak: Mapping[str, Any]) -> str:
    """Return a stated value as predicates with their objects, empty if it is stated to have no value."""
    if snak["snaktype"] == "somevalue":
        return f"ps:{name} []"
    value = snak.get("datavalue", {}).get("value")
    match value:
        case None:
            return ""
        case {"entity-type": "item", "numeric-id": number}:
            return f"ps:{name} wd:Q{number}"
        case {"time": str(time), "precision": precision}:
            return f"ps:{name} {_literal(time)} ; psv:{name} [ wikibase:timePrecision {precision} ]"
        case {"amount": str(amount), "unit": str(unit)}:
            item = "Q199" if unit == "1" else unit.rpartition("/")[2]
            return f"ps:{name} {_literal(amount)} ; psv:{name} [ wikibase:quantityUnit wd:{item} ]"
    return f"ps:{name} {_literal(json.dumps(value))}"
