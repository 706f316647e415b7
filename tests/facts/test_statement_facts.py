"""Facts for exploration: an entity tells the same ones as the query service does."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from sparql_server import serving
from wikidata_entities import entity, entity_of, item_claim, quantity_claim, time_claim
from wikidata_files import WikidataFiles

from kbe_graph.facts.pack import Pack
from kbe_graph.facts.wikidata.closure import wikidata_pack
from kbe_graph.facts.wikidata.entity import named_ids, read_item, read_statements
from kbe_graph.facts.wikidata.statement_facts import object_id, statement_facts, statement_pack
from kbe_graph.facts.wikidata.statement_filters import StatementFilters, filter_statements
from kbe_graph.facts.wikidata.wikidata import Archive, Wikidata, WikidataSettings, query
from kbe_graph.types import WikiItem

ITEM = WikiItem("Q1", "the thing", fetched="2026-11-27")
LABELS = {
    "P36": "capital",
    "P30": "continent",
    "P2043": "length",
    "P571": "inception",
    "P47": "shares border with",
    "P21": "sex or gender",
    "Q90": "Paris",
    "Q46": "Europe",
    "Q48": "Asia",
    "Q828224": "kilometre",
    "Q11573": "metre",
}


class Both(NamedTuple):
    """The packs of the whole entities: by the query service and by their JSON."""

    sparql: Pack
    entities: Pack
    items: tuple[str, ...]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    if "KBE_DATA" not in os.environ:
        pytest.skip("KBE_DATA is not set: the folder that holds wikidata_trex and wikidata_entities")
    folder, files = tmp_path_factory.mktemp("statements"), WikidataFiles(Path(os.environ["KBE_DATA"]))
    named = {name for item in files.whole for name in named_ids(entity_of(item)) if name.startswith("Q")}
    files.ids |= {f"thing {name}": name for name in sorted(named - set(files.ids.values()))}
    with (
        serving(files.write(folder / "wikidata.ttl", trex=False)) as server,
        Archive(folder / "answers.sqlite") as archive,
    ):
        wikidata = Wikidata(archive, WikidataSettings(endpoint=server.url))
        pack = wikidata_pack(wikidata, dict.fromkeys(files.whole, ()), hops=1)
        kinds: dict[str, list[str]] = {}
        for row in server.store.query("SELECT ?item ?kind { ?item <http://www.wikidata.org/prop/direct/P31> ?kind }"):
            kinds.setdefault(row["item"].value.rpartition("/")[2], []).append(row["kind"].value.rpartition("/")[2])
    labels = {item: label for label, item in files.ids.items()} | {
        name: row.label for name, row in files.properties.items()
    }
    return Both(pack, by_entities(files, labels, kinds), tuple(files.whole))


def by_entities(files: WikidataFiles, labels: Mapping[str, str], kinds: Mapping[str, list[str]]) -> Pack:
    entities = [entity_of(item) for item in files.whole]
    items = [read_item(each) for each in entities]
    statements = [row for each in entities for row in read_statements(each, labels)]
    return statement_pack(items, statements, kinds=kinds)


def facts_of(*claims, kinds=None, filters=None, item=ITEM):
    """Return the facts of an item with these statements, by relation."""
    statements = read_statements(entity(*claims), LABELS)
    if filters is not None:
        statements = filter_statements(item, statements, filters)
    return [(fact.relation, fact.object) for fact in statement_facts(item, statements, kinds=kinds or {})]


def test_an_entity_tells_the_facts_that_the_query_service_tells(both):
    expected = {
        (fact.subject_id, fact.relation, fact.object_id, fact.object, fact.source_ref) for fact in both.sparql.facts
    }
    told = {
        (fact.subject_id, fact.relation, fact.object_id, fact.object, fact.source_ref) for fact in both.entities.facts
    }
    assert told == expected
    assert len(expected) > 250


def test_a_fact_has_its_statement_and_the_day_of_its_source():
    statements = read_statements(entity(item_claim("P36", "Q90", id="Q1$a")), LABELS)
    (fact,) = statement_facts(ITEM, statements, subject_id="wn30:08544813-n")
    assert (fact.subject_id, fact.subject, fact.relation, fact.object_id) == (
        "wn30:08544813-n",
        "the thing",
        "capital",
        "wd:Q90",
    )
    assert (fact.source, fact.source_ref, fact.source_version) == ("Wikidata", "Q1$a-0", "fetched 2026-11-27")
    assert fact.evidence == "Q1 the thing: capital (P36): Q90 Paris"
    assert statement_facts(ITEM, statements)[0].subject_id == "wd:Q1"


def test_a_time_is_its_year_and_a_quantity_its_amount():
    claims = [time_claim("P571", "+1890-03-04T00:00:00Z", 11), quantity_claim("P2043", "+1300", "Q828224")]
    assert facts_of(*claims) == [("length", "1300 kilometres"), ("inception", "1890")]
    assert [object_id(row) for row in read_statements(entity(claims[0]))] == ["name:1890"]


def test_a_property_with_a_value_that_nobody_can_name_is_left_out():
    unknown = item_claim("P30", "Q46") | {
        "mainsnak": {"property": "P30", "snaktype": "somevalue", "datatype": "wikibase-item"}
    }
    absent = item_claim("P30", "Q46") | {
        "mainsnak": {"property": "P30", "snaktype": "novalue", "datatype": "wikibase-item"}
    }
    assert facts_of(item_claim("P30", "Q46"), unknown) == []
    assert facts_of(item_claim("P30", "Q46"), absent) == [("continent", "Europe")]
    assert facts_of(item_claim("P30", "Q46"), item_claim("P30", "Q77")) == []


def test_a_value_that_is_a_person_a_page_or_the_item_itself_is_not_told():
    assert facts_of(item_claim("P36", "Q90"), kinds={"Q90": ["Q5"]}) == []
    assert facts_of(item_claim("P36", "Q90"), kinds={"Q90": ["Q4167410"]}) == []
    assert facts_of(item_claim("P36", "Q90"), kinds={"Q90": ["Q515"]}) == [("capital", "Paris")]
    assert facts_of(item_claim("P36", "Q1")) == []


def test_statements_of_lower_rank_and_ended_ones_are_not_told():
    ended = item_claim("P30", "Q48", qualifiers={"P582": [{"snaktype": "value"}]})
    assert facts_of(item_claim("P30", "Q46"), ended) == [("continent", "Europe")]
    assert facts_of(item_claim("P30", "Q46"), item_claim("P30", "Q48", rank="deprecated")) == [("continent", "Europe")]
    assert facts_of(item_claim("P30", "Q46", rank="preferred"), item_claim("P30", "Q48")) == [("continent", "Europe")]


def test_a_filtered_statement_leaves_its_property_out_and_a_repeat_only_itself():
    metres, kilometres = quantity_claim("P2043", "+1300", "Q11573"), quantity_claim("P2043", "+1.3", "Q828224")
    assert facts_of(metres, kilometres) == [("length", "1300 metres"), ("length", "1.3 kilometres")]
    assert facts_of(metres, kilometres, filters=StatementFilters()) == [("length", "1300 metres")]
    rare = StatementFilters(counts={"P2043": 3}, counted=10_000)
    assert facts_of(metres, item_claim("P36", "Q90"), filters=rare) == []


def test_the_query_asks_for_the_limits_and_the_pages_that_the_reader_knows():
    text = query("facts").template
    assert "pq:P582|pq:P518|pq:P585" in text
    assert "wd:Q5 wd:Q4167410 wd:Q4167836 wd:Q11266439 wd:Q13406463 wd:Q17442446" in text
