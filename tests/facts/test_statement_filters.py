"""Filters of statements: what each refuses, on small statements and on whole entities."""

from wikidata_entities import claim, entity, entity_labels, entity_of, item_claim, qualified, quantity_claim

from kbe_graph.facts.wikidata.entity import read_item, read_statements
from kbe_graph.facts.wikidata.statement_filters import filter_statements, property_reasons, protected_words
from kbe_graph.types import WikiItem

THING, PERSON = WikiItem("Q1", "the thing"), WikiItem("Q1", "somebody", kinds=("Q5",))
WORDS = {
    "P36": "capital",
    "P140": "religion",
    "P9999": "ethnic background",
    "P2043": "length",
    "P7": "radius",
    "P8": "temperature",
    "P9": "atomic number",
    "P19": "inventory number",
    "Q90": "Paris",
    "Q91": "Category:Paris",
    "Q828224": "kilometre",
    "Q253276": "mile",
    "Q25267": "degree Celsius",
    "Q42289": "degree Fahrenheit",
}


def reasons(*claims, item=THING, kinds=None):
    """Return the reasons of each statement, in the order in which they are read."""
    statements = read_statements(entity(*claims), WORDS)
    return [row.reasons for row in filter_statements(item, statements, kinds or {})]


def test_a_property_is_refused_by_its_datatype_or_its_label():
    properties = {
        ("IMDb ID", "external-id"): ("identifier datatype",),
        ("official website", "url"): ("other datatype",),
        ("postal code", "string"): ("other datatype",),
        ("brightness", "a datatype of tomorrow"): ("other datatype",),
        ("number of spans", "quantity"): (),
        ("encoded by", "wikibase-item"): (),
        ("topic's main category", "wikibase-item"): ("Wikimedia page",),
        ("product category", "wikibase-item"): (),
        ("described by source", "wikibase-item"): ("speaks of the entry",),
        ("", "wikibase-item"): ("property without a label",),
    }
    assert {row: property_reasons(*row) for row in properties} == properties


def test_a_value_that_no_question_can_use_is_refused_with_each_reason():
    broken = item_claim("P19", "Q7", datatype="external-id", rank="deprecated", qualifiers=qualified("P582"))
    whole = ("identifier datatype", "deprecated rank", "ended or of a part", "value without a label")
    assert reasons(broken) == [whole]
    for row, reason in (
        (claim("P36", snaktype="somevalue", datatype="wikibase-item"), "unknown value"),
        (claim("P36", snaktype="novalue", datatype="wikibase-item"), "no value"),
        (item_claim("P36", "Q7"), "value without a label"),
        (quantity_claim("P2043", "+1", "Q7"), "unit without a label"),
        (claim("P36", {"error": "x"}, "bad", datatype="wikibase-item"), "value without words"),
        (item_claim("P36", "Q1"), "value is the item itself"),
        (item_claim("P36", "Q91"), "value is a Wikimedia page"),
    ):
        assert reason in reasons(row)[0], reason
    assert reasons(item_claim("P36", "Q90"), kinds={"Q90": ("Q4167410",)}) == [("value is a Wikimedia page",)]
    assert reasons(item_claim("P36", "Q90"), kinds={"Q90": ("Q515",)}) == [()]


def test_a_protected_attribute_of_a_person_is_refused_and_that_of_a_building_kept():
    row = item_claim("P140", "Q90")
    assert reasons(row, item=PERSON) == [("protected attribute",)]
    assert reasons(row) == [()]
    assert reasons(item_claim("P9999", "Q90"), item=PERSON) == [("protected attribute",)]
    private = {"P21", "P27", "P91", "P140", "P172", "P569", "P570", "P26", "P451", "P1050", "P103", "P102", "P1142"}
    kept = set()
    for item in ("Q23", "Q42", "Q255"):
        person = read_item(entity_of(item), entity_labels())
        rows = filter_statements(person, read_statements(entity_of(item), entity_labels()))
        kept |= {row.property_id for row in rows if row.kept}
    assert kept
    assert kept.isdisjoint(private)


def test_words_of_a_model_that_tell_a_protected_attribute_are_found():
    words = {
        "What religion does he follow?": ("religion",),
        "Which of these is her nationality?": ("nationality",),
        "Hinduism": ("Hinduism",),
        "How old is he?": ("How old is he",),
        "Who is her husband?": ("her husband",),
        "When was the composer born? Give the date of birth.": ("date of birth",),
        "How old is this bridge?": (),
        "Church of the Holy Apostles": (),
        "Iron Age": (),
        "Jean-Baptiste Delambre": (),
        "": (),
    }
    assert {text: protected_words(text) for text in words} == words


def test_a_value_in_another_unit_is_a_repeat_and_the_metric_one_is_kept():
    for name, amounts, expected in (
        ("P7", [("+3760.4", "Q253276"), ("+6051.8", "Q828224")], [("repeated value",), ()]),
        ("P8", [("+212", "Q42289"), ("+100", "Q25267"), ("+0", "Q25267")], [("repeated value",), (), ()]),
        ("P8", [("-5", "Q25267"), ("+5", "Q25267")], [(), ()]),
        ("P9", [("+1000", "1"), ("+1001", "1")], [(), ()]),
    ):
        assert reasons(*(quantity_claim(name, *amount) for amount in amounts)) == expected, (name, amounts)
    assert reasons(item_claim("P36", "Q90"), item_claim("P36", "Q90")) == [(), ("repeated value",)]
