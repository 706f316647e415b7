"""Items, statements and pictures of a small world of bridges and people."""

import json
from collections.abc import Sequence
from dataclasses import replace

from kbe_graph.types import PagePicture, WikiItem, WikiStatement
from kbe_graph.wiki.wiki_sample import Described, MadeQuestion
from kbe_graph.wiki.wrong_options import DistractorPool

LABELS = {
    "P17": "country",
    "P19": "place of birth",
    "P31": "instance of",
    "P84": "architect",
    "P177": "crosses",
    "P186": "material used",
    "P190": "twinned administrative body",
    "P421": "located in time zone",
    "P140": "religion",
    "P287": "designed by",
    "P131": "located in the administrative territorial entity",
    "P88": "commissioned by",
    "P1619": "date of official opening",
    "P1082": "population",
    "P2043": "length",
    "P4000": "keeper",
}


def bridge(number: int, label: str = "", **changes: object) -> WikiItem:
    """Build an item that is a bridge."""
    values = {"kinds": ("Q12280",), "kind_labels": ("bridge",)} | changes
    return WikiItem(f"Q{number}", label or f"Crossing {number}", **values)  # type: ignore[arg-type]


def person(number: int, label: str) -> WikiItem:
    """Build an item that is a human."""
    return WikiItem(f"Q{number}", label, kinds=("Q5",), kind_labels=("human",))


def says(item: WikiItem, property_id: str, text: str, target: str = "", **changes: object) -> WikiStatement:
    """Build a statement whose value is an item of this name; its id is derived from the name by default."""
    values = {
        "id": f"{item.id}${property_id}-{text}",
        "item": item.id,
        "property_id": property_id,
        "relation": LABELS.get(property_id, property_id),
        "datatype": "wikibase-item",
        "kind": "item",
        "target": target or f"Q-{text}",
        "text": text,
    }
    return WikiStatement(**(values | changes))  # type: ignore[arg-type]


def dated(item: WikiItem, property_id: str, text: str, time: str, precision: int = 11) -> WikiStatement:
    """Build a statement whose value is a time."""
    raw = json.dumps({"time": time, "precision": precision})
    return replace(says(item, property_id, text, datatype="time", kind="time", raw=raw), target="")


def measured(item: WikiItem, property_id: str, amount: str, unit: str) -> WikiStatement:
    """Build a statement whose value is a quantity."""
    raw = json.dumps({"amount": f"+{amount}"})
    made = says(item, property_id, f"{amount} {unit}s", datatype="quantity", kind="quantity", raw=raw, unit=unit)
    return replace(made, target="")


def picture(item: WikiItem, **changes: object) -> PagePicture:
    """Build the main picture of an item's page."""
    values = {"id": f"en:{item.label}|{item.id}.jpg", "image": f"https://x/{item.id}.jpg", "is_main": True}
    return PagePicture(**({**values, "item": item.id} | changes))  # type: ignore[arg-type]


def described(item: WikiItem, statements: Sequence[WikiStatement], **changes: object) -> Described:
    """Bundle an item with its statements and the main picture of its page."""
    return Described(picture(item, **changes), item, statements)


ARCHITECTS = (
    "Ada Lind", "Bo Falk", "Cyril Moss", "Dora Quist", "Emil Vance", "Fanny Holt", "Gus Tarn", "Hal Ruiz", "Ivo Sand",
    "Jo Wex",
)  # fmt: skip


def bridges(count: int = 10, property_id: str = "P84", names: Sequence[str] = ARCHITECTS) -> list[Described]:
    """Build bridges with one value each of a property, cycling through these names."""
    items = [bridge(number) for number in range(1, count + 1)]
    return [described(item, [says(item, property_id, names[place % len(names)])]) for place, item in enumerate(items)]


def pool_of(world: Sequence[Described]) -> DistractorPool:
    """Build the pool of a world."""
    return DistractorPool((each.item, each.statements) for each in world)


def asks(each: Described, text: str = "Who?", answer: str = "") -> MadeQuestion:
    """Build a question for the first statement of an item."""
    statement, *_ = each.statements
    answer = answer or statement.text
    return MadeQuestion(each.picture.id, each.item.id, text, answer, statement, "bridge")
