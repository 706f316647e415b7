"""A small world on a local Wikimedia: bridges with their rivers and architects, with pages, pictures and facts.

As in reality, one bridge's item was merged into another, one's page is a list, and one's item was deleted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wikidata_entities import item_claim, time_claim
from wikimedia_cases import write_wit
from wikimedia_server import MERGED, WikimediaServer, serving

RIVERS = {
    "Avon": "Severn Sea",
    "Tamar": "Western Channel",
    "Wye": "Severn Sea",
    "Tweed": "North Sea",
    "Spey": "Moray Firth",
    "Dee": "North Sea",
    "Exe": "Western Channel",
    "Nith": "Solway Firth",
    "Annan": "Solway Firth",
    "Findhorn": "Moray Firth",
}
ARCHITECTS = {
    "Ada Lind": "Perth",
    "Cyril Moss": "Durham",
    "Dora Quist": "Truro",
    "Emil Vance": "Cardiff",
    "Fanny Holt": "Perth",
    "Hal Ruiz": "Durham",
    "Ivo Sand": "Oban",
    "Jo Wexley": "Cork",
}
COUNTRIES = ("England", "Scotland", "Wales", "Ireland", "France")
LABELS = {
    "P31": "instance of",
    "P17": "country",
    "P119": "place of burial",
    "P84": "architect",
    "P18": "image",
    "P177": "crosses",
    "P403": "mouth of the watercourse",
    "P571": "inception",
    "Q5": "human",
    "Q12280": "bridge",
    "Q4022": "river",
    "Q165": "sea",
    "Q515": "city",
    "Q13406463": "Wikimedia list article",
}
BRIDGES = 24
GONE, LIST = "Fallen Crossing", "List of crossings"


def _id(group: int, number: int) -> str:
    return f"Q{group}{number:04}"


def add_bridges(server: WikimediaServer) -> list[str]:
    """Add the small world to a server, and return the titles of its pages."""
    server.labels.update(LABELS)
    seas = sorted(set(RIVERS.values()))
    for number, sea in enumerate(seas):
        _add(server, _id(3, number), sea, P31="Q165")
    for number, country in enumerate(COUNTRIES):
        _add(server, _id(4, number), country)
    for number, (river, sea) in enumerate(RIVERS.items()):
        _add(server, _id(2, number), river, P31="Q4022", P403=_id(3, seas.index(sea)), P17=_id(4, number % 5))
    towns = sorted(set(ARCHITECTS.values()))
    for number, town in enumerate(towns):
        _add(server, _id(6, number), town, P31="Q515")
    for number, (architect, town) in enumerate(ARCHITECTS.items()):
        _add(server, _id(7, number), architect, P31="Q5", P119=_id(6, towns.index(town)))
    for number in range(BRIDGES):
        claims = {"P177": _id(2, number % 10), "P84": _id(7, number * 3 % 8), "P571": 1800 + 7 * number}
        title = f"Crossing {number}"
        _add(server, _id(1, number), title, P31="Q12280", **claims)
        server.pages[title] = _id(1, number)
    _add(server, _id(5, 0), LIST, P31="Q13406463", P177=_id(2, 0))
    server.pages |= {LIST: _id(5, 0), GONE: _id(5, 1), "Joined Crossing": "Q900001"}
    _add(server, MERGED["Q900001"], "Joined Crossing", P31="Q12280", P177=_id(2, 3), P84=_id(7, 2))
    return [title for title in server.pages if title != "Page without item"]


def _add(server: WikimediaServer, id_: str, label: str, **claims: Any) -> None:
    made = [
        time_claim(name, f"+{value}-00-00T00:00:00Z", 9, id=f"{id_}${name}")
        if name == "P571"
        else item_claim(name, value, id=f"{id_}${name}")
        for name, value in claims.items()
    ]
    groups = {claim["mainsnak"]["property"]: [claim] for claim in made}
    sitelinks = {
        f"{code}wiki": {"site": f"{code}wiki", "title": label} for code in ("en", "de", "es", "fr", "it", "ja")
    }
    labels = {"en": {"language": "en", "value": label}}
    server.own[id_] = {"type": "item", "id": id_, "labels": labels, "claims": groups, "sitelinks": sitelinks}


def _row(title: str, pictures: str) -> dict[str, str]:
    name = quote(title.replace(" ", "_"), safe="")
    addresses = {"page_url": f"https://en.wikipedia.org/wiki/{name}", "image_url": f"{pictures}/{name}.png"}
    caption = {"page_title": title, "caption_reference_description": f"A view of {title}", "mime_type": "image/png"}
    return addresses | caption


@contextmanager
def bridges(folder: Path) -> Iterator[tuple[WikimediaServer, Path]]:
    """Yield a running server of the small world, and a corpus of its pages."""
    with serving() as server:
        titles = add_bridges(server)
        rows = (_row(title, f"{server.url}/pictures") for title in titles)
        yield server, write_wit(folder / "bridges.tsv.gz", rows)
