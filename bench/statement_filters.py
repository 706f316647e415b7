"""How well a property's label and datatype tell identifiers from facts, by three rules, over Wikidata's properties.

    python bench/statement_filters.py DATA

DATA holds ``wikidata_entities/properties_2016.tsv.gz``: label, datatype and uses of 2,330 properties. An identifier is
a property with the datatype of identifiers, or a text property that a reader of the list judged to be a code
(``tests/data/judged_properties.tsv``); a fact is any other property whose values are items, quantities, times, places
or words, unless it was judged to be neither (Commons category). Prints for each rule the identifiers that it lets
through and the facts that it deletes, each with its share of all uses.
"""

import argparse
import csv
import gzip
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from kbe_graph.facts.wikidata.statement_filters import property_reasons

JUDGED = Path(__file__).parents[1] / "tests" / "data" / "judged_properties.tsv"
DATATYPES = {
    "ExternalId": "external-id",
    "WikibaseItem": "wikibase-item",
    "Quantity": "quantity",
    "String": "string",
    "CommonsMedia": "commonsMedia",
    "Time": "time",
    "Url": "url",
    "Monolingualtext": "monolingualtext",
    "WikibaseProperty": "wikibase-property",
    "GlobeCoordinate": "globe-coordinate",
    "Math": "math",
}
SAYABLE = {"wikibase-item", "quantity", "string", "time", "monolingualtext", "globe-coordinate"}
SUBSTRING = re.compile("ID|identifier|number|code|username|URL|website", re.IGNORECASE)


class Property(NamedTuple):
    """A property: its label, its datatype as the Action API names it, its uses, and what it is by eye."""

    label: str
    datatype: str
    uses: int
    verdict: str


class Errors(NamedTuple):
    """The errors of a rule: properties, and their share of the uses of all of their sort."""

    missed: int
    missed_uses: float
    deleted: int
    deleted_uses: float


Refuses = Callable[[Property], bool]
RULES: Mapping[str, Refuses] = {
    "part of a word": lambda row: bool(SUBSTRING.search(row.label)),
    "word of the label (`paper_filters`)": lambda row: bool(
        property_reasons(row.label, row.datatype, paper_filters=True)
    ),
    "datatype, then label (default)": lambda row: bool(property_reasons(row.label, row.datatype)),
}


def properties(data: Path) -> list[Property]:
    """Return the properties of the data folder with their verdicts."""
    with JUDGED.open(encoding="utf-8", newline="") as file:
        judged = {row["property"]: row["verdict"] for row in csv.DictReader(file, delimiter="\t")}
    with gzip.open(data / "wikidata_entities" / "properties_2016.tsv.gz", "rt", encoding="utf-8") as file:
        return [
            Property(row["label"], datatype, int(row["items_using_it"]), judged.get(row["pid"]) or verdict(datatype))
            for row in csv.DictReader(file, delimiter="\t")
            for datatype in [DATATYPES[row["datatype"]]]
        ]


def verdict(datatype: str) -> str:
    """Return what a property that was not looked at is, by its datatype."""
    if datatype == "external-id":
        return "identifier"
    return "fact" if datatype in SAYABLE else "other"


def errors(rows: list[Property], refuses: Refuses) -> Errors:
    """Return the errors of a rule."""
    identifiers = [row for row in rows if row.verdict == "identifier"]
    facts = [row for row in rows if row.verdict == "fact"]
    missed = [row for row in identifiers if not refuses(row)]
    deleted = [row for row in facts if refuses(row)]
    return Errors(len(missed), share(missed, identifiers), len(deleted), share(deleted, facts))


def share(rows: list[Property], whole: list[Property]) -> float:
    """Return the share of uses."""
    return sum(row.uses for row in rows) / sum(row.uses for row in whole)


def line(name: str, counted: Errors) -> str:
    """Return a row of the table."""
    shares = [f"{number:.2%}".replace("%", " %") for number in (counted.missed_uses, counted.deleted_uses)]
    return f"| {name} | {counted.missed} | {shares[0]} | {counted.deleted} | {shares[1]} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    rows = properties(parser.parse_args().data)
    for name in ("identifier", "fact", "other"):
        print(f"{name}: {sum(row.verdict == name for row in rows):,} properties")
    print(
        "| rule | identifiers missed | of their uses | facts deleted | of their uses |\n| --- | --- | --- | --- | --- |"
    )
    for name, refuses in RULES.items():
        print(line(name, errors(rows, refuses)))


if __name__ == "__main__":
    main()
