"""Wikidata's properties at large: T-REx's facts and whole entities, behind a real SPARQL engine."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from sparql_server import Sparql, serving
from wikidata_files import WikidataFiles

from kbe_graph.facts.pack import Pack
from kbe_graph.facts.wikidata.closure import link, mention_of, wikidata_pack
from kbe_graph.facts.wikidata.rules import protected, relation_of
from kbe_graph.facts.wikidata.wikidata import Archive, Wikidata, WikidataSettings

EACH = 20
"""How many subjects of each property of T-REx are asked about."""


class Known(NamedTuple):
    """What the endpoint holds, and what it was asked for: the facts of EACH subjects a property, two hops deep."""

    files: WikidataFiles
    server: Sparql
    wikidata: Wikidata
    subjects: Mapping[str, tuple[str, ...]]
    pack: Pack


def data() -> Path:
    if "KBE_DATA" not in os.environ:
        pytest.skip("KBE_DATA is not set: the folder that holds wikidata_trex and wikidata_entities")
    return Path(os.environ["KBE_DATA"])


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Known]:
    folder, files = tmp_path_factory.mktemp("wikidata"), WikidataFiles(data())
    with serving(files.write(folder / "wikidata.ttl")) as server, Archive(folder / "answers.sqlite") as archive:
        wikidata = Wikidata(archive, WikidataSettings(endpoint=server.url))
        subjects = dict.fromkeys([*files.subjects(EACH), "Q31", "Q179", "Q220"], ())
        yield Known(files, server, wikidata, subjects, wikidata_pack(wikidata, subjects, hops=2))


def test_no_value_is_an_identifier_an_address_or_a_person(known: Known):
    datatypes = {row.label: row.datatype for row in known.files.properties.values()}
    told = {datatypes.get(fact.relation, "WikibaseItem") for fact in known.pack.facts}
    assert told == {"WikibaseItem", "Time", "Quantity"}
    people = {f"wd:{known.files.ids[name]}" for name in ("Douglas Adams", "George Washington")}
    assert not people & {fact.object_id for fact in known.pack.facts}


def test_the_page_counts_the_properties_that_are_relations():
    properties_ = WikidataFiles(data()).properties_of_2016
    typed = {name: row for name, row in properties_.items() if row.datatype in {"WikibaseItem", "Time", "Quantity"}}
    left = {name: row for name, row in typed.items() if name not in protected()}
    unworded = [name for name, row in left.items() if relation_of(name, row.label, row.datatype) is None]
    figures = (len(typed), len(left) - len(unworded), len(typed) - len(left), len(unworded))
    page = (Path(__file__).parents[2] / "docs" / "wiki.md").read_text(encoding="utf-8")
    assert figures == tuple(
        int(number.replace(",", ""))
        for number in re.search(
            r"Of the ([\d,]+) properties .* in 2016, (\d+) are relations, (\d+) are protected, and (\d+) have", page
        ).groups()
    )
    uses = sum(typed[name].uses for name in unworded) / sum(row.uses for row in typed.values())
    assert f"have {uses:.0%}".replace("%", " %") in page.replace("\n", " ")


def test_answers_are_linked_to_places_and_firms_of_trex_and_to_no_person(known: Known):
    california, tokyo = "wn30:09060768-n", "wn30:08923348-n"
    mentions = [mention_of("Where is this?", "", concept) for concept in (california, tokyo)]
    mentions.append(mention_of("Which person is this?", "Steve Jobs", ""))
    items = [item_link.item for item_link in link(known.wikidata, mentions).values()]
    assert items == [known.files.ids["California"], known.files.ids["Tokyo"], ""]
