"""The T-REx facts and the entities of the data folder as Turtle, in the format of Wikidata's query service.

T-REx only has names, so each name is one item. Names without an id in the entity files get one from Q200000000 on;
their classes are under P31 and P279. A subject is also an instance of the kind that Wikidata's constraints require for
its property (``KINDS``), if any, so that people are known as people and places as places.
"""

import csv
import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import count, groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

PREFIXES = {
    "owl": "http://www.w3.org/2002/07/owl#",
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
KINDS = {
    "human": ["P19", "P20", "P27", "P39", "P101", "P103", "P106", "P108", "P413", "P937", "P1303", "P1412"],
    "geographic region": ["P30", "P36", "P37", "P47", "P190", "P530", "P1376"],
    "organization": ["P159", "P740"],
    "product": ["P176"],
}
_HUMAN = "Q5"
_RANKS = {"preferred": 2, "normal": 1, "deprecated": 0}


class Property(NamedTuple):
    """A property: its English label, its RDF datatype, and the number of items that use it."""

    label: str
    datatype: str
    uses: int = 0


class WikidataFiles:
    """Turtle of the folders ``wikidata_trex`` and ``wikidata_entities``; ``ids`` maps each name to its item."""

    def __init__(self, data: Path) -> None:
        self.trex, self.entities = data / "wikidata_trex", data / "wikidata_entities"
        labels = json.loads((self.entities / "labels_en.json").read_text(encoding="utf-8"))
        units = json.loads((self.entities / "units_en.json").read_text(encoding="utf-8"))
        named = {item: label for item, label in labels.items() if item.startswith("Q")}
        self._labels = named | {item: names[0] for item, names in units.items()} | {"Q199": "1", _HUMAN: "human"}
        self.ids = {label: item for item, label in reversed(self._labels.items())}
        self._next = count(200_000_000)
        self._statement = count(1)

    @property
    def whole(self) -> list[str]:
        """The items whose statements are complete."""
        return [file.name.removesuffix(".json.gz") for file in sorted(self.entities.glob("Q*.json.gz"))]

    def write(self, file: Path, *, trex: bool = True) -> Path:
        """Write everything, or only the entities, and return the file."""
        with file.open("w", encoding="utf-8") as turtle:
            turtle.writelines(f"@prefix {name}: <{address}> .\n" for name, address in PREFIXES.items())
            turtle.writelines(f"{line} .\n" for line in self._lines(trex=trex))
        return file

    @cached_property
    def properties_of_2016(self) -> Mapping[str, Property]:
        """All properties as they were in 2016, by id."""
        with gzip.open(self.entities / "properties_2016.tsv.gz", "rt", encoding="utf-8") as file:
            rows = csv.reader(file, delimiter="\t")
            next(rows)
            return {name: Property(label, datatype, int(uses)) for name, label, datatype, uses in rows}

    @cached_property
    def properties(self) -> Mapping[str, Property]:
        """The properties of 2016, with the current labels of those in T-REx."""
        labels = json.loads((self.trex / "pid_labels.json").read_text(encoding="utf-8"))
        return {
            **self.properties_of_2016,
            **{name: Property(label, "WikibaseItem") for name, label in labels.items()},
        }

    def _lines(self, *, trex: bool) -> Iterator[str]:
        for name, (label, datatype, _) in self.properties.items():
            roles = (
                f"wikibase:claim p:{name} ; wikibase:statementProperty ps:{name} ; wikibase:statementValue psv:{name}"
            )
            yield f"wd:{name} rdfs:label {_literal(label)}@en ; wikibase:propertyType wikibase:{datatype} ; {roles}"
        for item in self.whole:
            yield from self._entity(json.loads(gzip.decompress((self.entities / f"{item}.json.gz").read_bytes())))
        if trex:
            yield from self._facts()
        yield from (f"wd:{item} rdfs:label {_literal(label)}@en" for label, item in self.ids.items())

    def subjects(self, each: int) -> Iterator[str]:
        """Yield the items of the first subjects of each T-REx property, after everything was written."""
        for _, rows in groupby(self._rows(), key=lambda row: row["pid"]):
            yield from (self.ids[row["sub_label"]] for row in islice(rows, each))

    def _rows(self) -> Iterator[Mapping[str, str]]:
        with gzip.open(self.trex / "trex_labels_41_relations.jsonl.gz", "rt", encoding="utf-8") as file:
            yield from map(json.loads, file)

    def _facts(self) -> Iterator[str]:
        kinds = {name: kind for kind, names in KINDS.items() for name in names}
        for row in self._rows():
            about, name, target = self._item(row["sub_label"]), row["pid"], self._item(row["obj_label"])
            yield from self._state(about, name, f"ps:{name} wd:{target}", best=True)
            if name in {"P31", "P279"}:
                yield f"wd:{about} wdt:{name} wd:{target}"
            if name in kinds:
                yield f"wd:{about} wdt:P31 wd:{self._item(kinds[name])}"

    def _item(self, label: str) -> str:
        return self.ids.get(label) or self.ids.setdefault(label, f"Q{next(self._next)}")

    def _entity(self, entity: Mapping[str, Any]) -> Iterator[str]:
        about, label = entity["id"], entity["labels"]["en"]["value"]
        self.ids[label] = about
        yield f"wd:{about} wikibase:sitelinks {len(entity['sitelinks'])}"
        yield from (f"wd:{about} skos:altLabel {_literal(row['value'])}@en" for row in entity["aliases"].get("en", ()))
        for name, claims in entity["claims"].items():
            ranks = [_RANKS[claim["rank"]] for claim in claims]
            for claim, rank in zip(claims, ranks, strict=True):
                if value := _value(name, claim["mainsnak"]):
                    limits = "".join(f" ; pq:{limit} true" for limit in _limits(claim))
                    best = rank == max(ranks) and rank > 0
                    yield from self._state(about, name, value + limits, best=best, statement=claim["id"])
                    if name in {"P31", "P171", "P279"} and value.startswith(f"ps:{name} wd:"):
                        yield f"wd:{about} wdt:{name} {value.rpartition(' ')[2]}"

    def _state(self, about: str, name: str, value: str, *, best: bool, statement: str = "") -> Iterator[str]:
        statement = f"wds:{(statement or f'{about}${next(self._statement)}').replace('$', '-')}"
        rank = "wikibase:BestRank , wikibase:Statement" if best else "wikibase:Statement"
        yield f"wd:{about} p:{name} {statement}"
        yield f"{statement} a {rank} ; wikibase:rank wikibase:NormalRank ; {value}"


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
