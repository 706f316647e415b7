"""Facts for exploration: an entity tells the same ones as the query service does."""

import os
import re
from pathlib import Path

import pytest
from sparql_server import serving
from wikidata_entities import entity, entity_of, item_claim, quantity_claim, time_claim
from wikidata_files import WikidataFiles

from kbe_graph.facts.wikidata.closure import wikidata_pack
from kbe_graph.facts.wikidata.entity import named_ids, read_item, read_statements
from kbe_graph.facts.wikidata.rules import protected, relation_of
from kbe_graph.facts.wikidata.statement_facts import object_id, statement_facts, statement_pack
from kbe_graph.facts.wikidata.statement_filters import filter_statements
from kbe_graph.facts.wikidata.wikidata import Archive, WikidataSettings, Wikimedia, query
from kbe_graph.types import WikiItem

ITEM = WikiItem("Q1", "the thing", fetched="2026-11-27")
LABELS = {
    "P36": "capital",
    "P30": "continent",
    "P2043": "length",
    "P571": "inception",
    "Q90": "Paris",
    "Q46": "Europe",
    "Q48": "Asia",
    "Q828224": "kilometre",
    "Q11573": "metre",
}


def files_of_data() -> WikidataFiles:
    if "KBE_DATA" not in os.environ:
        pytest.skip("KBE_DATA is not set: the folder that holds wikidata_entities")
    return WikidataFiles(Path(os.environ["KBE_DATA"]))


def facts_of(*claims, kinds=None, filtered=False):
    """Return the facts of an item with these statements, by relation."""
    statements = read_statements(entity(*claims), LABELS)
    if filtered:
        statements = filter_statements(ITEM, statements)
    return [(fact.relation, fact.object) for fact in statement_facts(ITEM, statements, kinds=kinds or {})]


def test_an_entity_tells_the_facts_that_the_query_service_tells(tmp_path: Path):
    files = files_of_data()
    named = {name for item in files.whole for name in named_ids(entity_of(item)) if name.startswith("Q")}
    files.ids |= {f"thing {name}": name for name in sorted(named - set(files.ids.values()))}
    with (
        serving(files.write(tmp_path / "wikidata.ttl")) as server,
        Archive(tmp_path / "answers.sqlite") as archive,
    ):
        wikidata = Wikimedia(archive, WikidataSettings(endpoint=server.url))
        served = wikidata_pack(wikidata, dict.fromkeys(files.whole, ()), hops=1)
        kinds: dict[str, list[str]] = {}
        for row in server.store.query("SELECT ?item ?kind { ?item <http://www.wikidata.org/prop/direct/P31> ?kind }"):
            kinds.setdefault(row["item"].value.rpartition("/")[2], []).append(row["kind"].value.rpartition("/")[2])
    labels = {item: label for label, item in files.ids.items()}
    labels |= {name: row.label for name, row in files.properties.items()}
    entities = [entity_of(item) for item in files.whole]
    items = {item: WikiItem(item, kinds=tuple(own)) for item, own in kinds.items()}
    items |= {each["id"]: read_item(each) for each in entities}
    read = statement_pack(items.values(), (row for each in entities for row in read_statements(each, labels)))
    expected, told = (
        {(fact.subject_id, fact.relation, fact.object_id, fact.object, fact.source_ref) for fact in pack.facts}
        for pack in (served, read)
    )
    assert told == expected
    assert len(expected) > 250


def test_a_fact_has_its_statement_and_the_day_of_its_source():
    statements = read_statements(entity(item_claim("P36", "Q90", id="Q1$a")), LABELS)
    (fact,) = statement_facts(ITEM, statements, subject_id="wn30:08544813-n")
    assert (fact.subject_id, fact.subject, fact.object_id) == ("wn30:08544813-n", "the thing", "wd:Q90")
    assert (fact.source, fact.source_ref, fact.source_version) == ("Wikidata", "Q1$a-0", "fetched 2026-11-27")
    assert fact.evidence == "Q1 the thing: capital (P36): Q90 Paris"
    assert statement_facts(ITEM, statements)[0].subject_id == "wd:Q1"


def test_a_time_is_its_year_and_a_quantity_its_amount():
    claims = [time_claim("P571", "+1890-03-04T00:00:00Z", 11), quantity_claim("P2043", "+1300", "Q828224")]
    assert facts_of(*claims) == [("length", "1300 kilometres"), ("inception", "1890")]
    assert [object_id(row) for row in read_statements(entity(claims[0]))] == ["name:1890"]


def test_a_property_with_a_value_that_no_answer_can_say_is_left_out():
    europe, paris = item_claim("P30", "Q46"), item_claim("P36", "Q90")
    no_value = {"property": "P30", "datatype": "wikibase-item"}
    unknown, absent = (europe | {"mainsnak": no_value | {"snaktype": name}} for name in ("somevalue", "novalue"))
    assert facts_of(europe, unknown) == facts_of(europe, item_claim("P30", "Q77")) == []
    assert facts_of(europe, absent) == [("continent", "Europe")]
    assert facts_of(paris, kinds={"Q90": ["Q5"]}) == facts_of(paris, kinds={"Q90": ["Q4167410"]}) == []
    assert facts_of(paris, kinds={"Q90": ["Q515"]}) == [("capital", "Paris")]
    assert facts_of(item_claim("P36", "Q1")) == []


def test_statements_of_lower_rank_and_ended_ones_are_not_told():
    ended = item_claim("P30", "Q48", qualifiers={"P582": [{"snaktype": "value"}]})
    for other in (ended, item_claim("P30", "Q48", rank="deprecated")):
        assert facts_of(item_claim("P30", "Q46"), other) == [("continent", "Europe")]
    assert facts_of(item_claim("P30", "Q46", rank="preferred"), item_claim("P30", "Q48")) == [("continent", "Europe")]


def test_a_filtered_statement_leaves_its_property_out_and_a_repeat_only_itself():
    metres, kilometres = quantity_claim("P2043", "+1300", "Q11573"), quantity_claim("P2043", "+1.3", "Q828224")
    assert facts_of(metres, kilometres) == [("length", "1300 metres"), ("length", "1.3 kilometres")]
    assert facts_of(metres, kilometres, filtered=True) == [("length", "1300 metres")]


def test_the_query_asks_for_the_limits_and_the_pages_that_the_reader_knows():
    text = query("facts").template
    assert "pq:P582|pq:P518|pq:P585" in text
    assert "wd:Q5 wd:Q4167410 wd:Q4167836 wd:Q11266439 wd:Q13406463 wd:Q17442446" in text


def test_the_page_counts_the_properties_that_are_relations():
    properties = files_of_data().properties
    typed = {name: row for name, row in properties.items() if row.datatype in {"WikibaseItem", "Time", "Quantity"}}
    left = {name: row for name, row in typed.items() if name not in protected()}
    unworded = [name for name, row in left.items() if relation_of(name, row.label, row.datatype.lower()) is None]
    figures = (len(typed), len(left) - len(unworded), len(typed) - len(left), len(unworded))
    page = (Path(__file__).parents[2] / "docs" / "wiki.md").read_text(encoding="utf-8")
    told = re.search(r"Of the ([\d,]+) .* in 2016, (\d+) are relations, (\d+) are protected, and (\d+) have", page)
    assert figures == tuple(int(number.replace(",", "")) for number in told.groups())
    uses = sum(typed[name].uses for name in unworded) / sum(row.uses for row in typed.values())
    assert f"have {uses:.0%}".replace("%", " %") in page.replace("\n", " ")
