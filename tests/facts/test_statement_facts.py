"""Facts for exploration: an entity tells the same ones as the query service does."""

from wikidata_entities import entity, item_claim, quantity_claim, time_claim

from kbe_graph.facts.wikidata.entity import read_statements
from kbe_graph.facts.wikidata.statement_facts import object_id, statement_facts
from kbe_graph.facts.wikidata.statement_filters import filter_statements
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


def facts_of(*claims, kinds=None, filtered=False):
    """Return the facts of an item with these statements, by relation."""
    statements = read_statements(entity(*claims), LABELS)
    if filtered:
        statements = filter_statements(ITEM, statements)
    return [(fact.relation, fact.object) for fact in statement_facts(ITEM, statements, kinds=kinds or {})]


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
