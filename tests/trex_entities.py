"""The T-REx facts of the data folder as entities and pages of a local Wikimedia, and a corpus in the format of WIT.

Each name is one item, as in ``wikidata_files``, which assigns the ids; a subject is also an instance of the kind that
Wikidata's constraints require for its property.
"""

import csv
import gzip
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wikidata_files import KINDS, WikidataFiles
from wikimedia_server import Wikimedia

WIT = (
    *("language", "page_url", "image_url", "page_title", "section_title", "hierarchical_section_title"),
    *("caption_reference_description", "caption_attribution_description", "caption_alt_text_description"),
    *("mime_type", "original_height", "original_width", "is_main_image", "attribution_passes_lang_id"),
    *("page_changed_recently", "context_page_description", "context_section_description"),
)


def add_trex(server: Wikimedia, data: Path) -> list[str]:
    """Add the T-REx facts to a server, and return the titles of the pages about their subjects."""
    files = WikidataFiles(data)
    for _ in files._lines(trex=True):  # assigns an item to each name
        pass
    kinds = {name: kind for kind, names in KINDS.items() for name in names}
    claims: dict[str, dict[str, list[dict[str, Any]]]] = {}
    titles: dict[str, str] = {}
    for row in files._rows():
        about = files.ids[row["sub_label"]]
        if about in files.whole:
            continue
        titles[row["sub_label"]] = about
        own = claims.setdefault(about, {})
        _state(own, about, row["pid"], files.ids[row["obj_label"]])
        if row["pid"] in kinds and row["pid"] != "P31":
            _state(own, about, "P31", files._item(kinds[row["pid"]]))
    for label, item in files.ids.items():
        if item not in files.whole and item.startswith("Q"):
            server.own[item] = _entity(item, label, claims.get(item, {}))
    for name, about in files.properties.items():
        server.own[name] = {"type": "property", "id": name, "labels": _term(about.label)}
    server.pages |= titles
    return sorted(titles)


def _state(claims: dict[str, list[dict[str, Any]]], about: str, name: str, target: str) -> None:
    group = claims.setdefault(name, [])
    if all(claim["mainsnak"]["datavalue"]["value"]["id"] != target for claim in group):
        value = {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": target}}
        snak = {"snaktype": "value", "property": name, "datatype": "wikibase-item", "datavalue": value}
        number = sum(map(len, claims.values()))
        group.append({"type": "statement", "id": f"{about}${number}", "rank": "normal", "mainsnak": snak})


def _entity(item: str, label: str, claims: Mapping[str, Any]) -> Mapping[str, Any]:
    sites = [f"{code}wiki" for code in ("en", *map(str, range(19)))]  # as many as people with known pictures have
    sitelinks = {site: {"site": site, "title": label} for site in sites} if claims else {}
    return {"type": "item", "id": item, "labels": _term(label), "claims": claims, "sitelinks": sitelinks}


def _term(text: str) -> Mapping[str, Any]:
    return {"en": {"language": "en", "value": text}}


def write_corpus(file: Path, titles: Iterable[str], pictures: str) -> Path:
    """Write a row of WIT for each title, with the picture served below an address."""
    with gzip.open(file, "wt", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, delimiter="\t", lineterminator="\n")
        table.writerow(WIT)
        for title in titles:
            name = quote(title.replace(" ", "_"), safe="")
            page = f"https://en.wikipedia.org/wiki/{name}"
            row = {"language": "en", "page_url": page, "image_url": f"{pictures}/{name}.png", "page_title": title}
            row |= {"caption_reference_description": f"A view of {title}", "mime_type": "image/png"}
            table.writerow((row | {"is_main_image": "true"}).get(column, "") for column in WIT)
    return file
