"""Filters of statements: what each refuses, on Wikidata's properties of 2016, on whole entities and on small ones."""

import os
import re
from collections import Counter
from pathlib import Path

import pytest
from wikidata_entities import claim, entity, entity_labels, entity_of, item_claim, qualified, quantity_claim

from kbe_graph.facts.wikidata.entity import read_item, read_statements
from kbe_graph.facts.wikidata.statement_filters import (
    StatementFilters,
    filter_statements,
    property_reasons,
    protected_words,
)
from kbe_graph.types import WikiItem

THING, PERSON = WikiItem("Q1", "the thing"), WikiItem("Q1", "somebody", kinds=("Q5",))
WORDS = {
    "P36": "capital",
    "P31": "instance of",
    "P140": "religion",
    "P9999": "ethnic background",
    "P2043": "length",
    "P7": "radius",
    "P8": "temperature",
    "P9": "atomic number",
    "P10": "motto text",
    "P11": "element symbol",
    "P18": "image",
    "P19": "inventory number",
    "P20": "official name",
    "P21": "sex or gender",
    "P373": "Commons category",
    "Q90": "Paris",
    "Q91": "Category:Paris",
    "Q11573": "metre",
    "Q828224": "kilometre",
    "Q253276": "mile",
    "Q25267": "degree Celsius",
    "Q42289": "degree Fahrenheit",
}
PAGE = Path(__file__).parents[2] / "docs" / "wiki.md"


def reasons(*claims, item=THING, **options):
    """Return the reasons of each statement, in the order in which they are read."""
    statements = read_statements(entity(*claims), WORDS)
    return [row.reasons for row in filter_statements(item, statements, StatementFilters(**options))]


def data() -> Path:
    if "KBE_DATA" not in os.environ:
        pytest.skip("KBE_DATA is not set: the folder that holds wikidata_entities")
    return Path(os.environ["KBE_DATA"])


# Properties


PROPERTIES = {
    ("IMDb ID", "external-id"): ("identifier datatype",),
    ("ISBN-13", "external-id"): ("identifier datatype",),
    ("official website", "url"): ("link datatype",),
    ("image", "commonsMedia"): ("media datatype",),
    ("geoshape", "geo-shape"): ("media datatype",),
    ("population statistics", "tabular-data"): ("media datatype",),
    ("defining formula", "math"): ("notation datatype",),
    ("incipit", "musical-notation"): ("notation datatype",),
    ("related property", "wikibase-property"): ("Wikibase datatype",),
    ("subject lexeme", "wikibase-lexeme"): ("Wikibase datatype",),
    ("object form", "wikibase-form"): ("Wikibase datatype",),
    ("object sense", "wikibase-sense"): ("Wikibase datatype",),
    ("brightness", "a datatype of tomorrow"): ("other datatype",),
    ("postal code", "string"): ("label of an identifier",),
    ("Dewey Decimal Classification", "string"): ("label of an identifier",),
    ("UN packaging group", "string"): ("label of an identifier",),
    ("Unicode character", "string"): ("label of an identifier",),
    ("route number", "string"): (),
    ("spectral class", "string"): (),
    ("number of spans", "quantity"): (),
    ("GDP per head", "quantity"): (),
    ("encoded by", "wikibase-item"): (),
    ("Commons gallery", "string"): ("Wikimedia page",),
    ("topic's main category", "wikibase-item"): ("Wikimedia page",),
    ("geography of topic", "wikibase-item"): ("Wikimedia page",),
    ("product category", "wikibase-item"): (),
    ("described by source", "wikibase-item"): ("speaks of the entry",),
    ("different from", "wikibase-item"): ("speaks of the entry",),
    ("", "wikibase-item"): ("property without a label",),
}


def test_a_property_is_refused_by_its_datatype_or_its_label():
    assert {row: property_reasons(*row) for row in PROPERTIES} == PROPERTIES


def test_the_page_names_each_filter():
    source = Path(filter_statements.__code__.co_filename).read_text(encoding="utf-8")
    names = set(re.findall(r'^        "([^"]+)": ', source, re.MULTILINE)) | {
        "identifier datatype",
        "label of an identifier",
        "repeated value",
        "value without a label",
        "Wikimedia page",
        "speaks of the entry",
        "value is a code",
    }
    page = PAGE.read_text(encoding="utf-8")
    assert {name for name in names if f"`{name}`" not in page} == set()


# Statements


def test_each_filter_that_refuses_a_statement_is_named():
    broken = item_claim("P19", "Q7", datatype="external-id", rank="deprecated", qualifiers=qualified("P582"))
    assert reasons(broken) == [
        ("identifier datatype", "deprecated rank", "ended or of a part", "value without a label")
    ]


VALUES = (
    (claim("P36", snaktype="somevalue", datatype="wikibase-item"), "unknown value"),
    (claim("P36", snaktype="novalue", datatype="wikibase-item"), "no value"),
    (item_claim("P36", "Q7"), "value without a label"),
    (quantity_claim("P2043", "+1", "Q7"), "unit without a label"),
    (
        claim("P20", {"text": "Pont", "language": "fr"}, "monolingualtext", datatype="monolingualtext"),
        "text in another language",
    ),
    (claim("P36", {"error": "x"}, "bad", datatype="wikibase-item"), "value without words"),
    (claim("P10", "H225", datatype="string"), "value is a code"),
    (claim("P10", "🐕", datatype="string"), "value is a code"),
    (item_claim("P36", "Q1"), "value is the item itself"),
    (item_claim("P36", "Q91"), "value is a Wikimedia page"),
)


def test_a_value_that_no_question_can_use_is_refused():
    for row, reason in VALUES:
        assert reason in reasons(row)[0], reason


def test_a_text_in_words_and_a_symbol_are_values():
    assert reasons(claim("P10", "Alis volat propriis", datatype="string"), claim("P11", "Fe", datatype="string")) == [
        (),
        (),
    ]


def test_a_value_is_a_page_by_its_kind():
    assert reasons(item_claim("P36", "Q90"), kinds={"Q90": ("Q4167410",)}) == [("value is a Wikimedia page",)]
    assert reasons(item_claim("P36", "Q90"), kinds={"Q90": ("Q515",)}) == [()]


# Protected attributes


def test_a_protected_attribute_of_a_person_is_refused_and_that_of_a_building_kept():
    row = item_claim("P140", "Q90")
    assert reasons(row, item=PERSON) == [("protected attribute",)]
    assert reasons(row) == [()]
    assert reasons(item_claim("P9999", "Q90"), item=PERSON) == [("protected attribute",)]


def test_no_birth_faith_sex_or_nationality_of_the_people_of_the_data_is_kept():
    heads = {
        "P21",
        "P27",
        "P91",
        "P140",
        "P172",
        "P569",
        "P570",
        "P26",
        "P451",
        "P1050",
        "P103",
        "P102",
        "P1142",
        "P1636",
    }
    refused = Counter()
    for item in ("Q23", "Q42", "Q255"):
        person = read_item(entity_of(item), entity_labels())
        for row in filter_statements(person, read_statements(entity_of(item), entity_labels())):
            assert not (row.kept and row.property_id in heads)
            refused["protected attribute" in row.reasons] += 1
    assert refused[True] >= 40


def test_words_of_a_model_that_tell_a_protected_attribute_are_found():
    words = {
        "What religion does he follow?": ("religion",),
        "Which of these is her nationality?": ("nationality",),
        "Hinduism": ("Hinduism",),
        "Yoruba religion": ("religion",),
        "How old is he?": ("How old is he",),
        "Who is her husband?": ("her husband",),
        "When was the composer born? Give the date of birth.": ("date of birth",),
        "How old is this bridge?": (),
        "Church of the Holy Apostles": (),
        "Iron Age": (),
        "Jean-Baptiste Delambre": (),
        "How long is this bridge?": (),
        "1300 metres": (),
        "": (),
    }
    assert {text: protected_words(text) for text in words} == words


# Support


def test_a_property_of_few_items_is_refused_where_enough_were_counted():
    claims = (item_claim("P36", "Q90"), quantity_claim("P2043", "+5", "Q11573"))
    counts = {"P36": 10, "P2043": 9}
    assert reasons(*claims, counts=counts, counted=10_000) == [(), ("few items",)]
    assert reasons(*claims, counts=counts, counted=9_999) == [(), ()]
    assert reasons(item_claim("P36", "Q90"), counts={"P31": 500}, counted=20_000) == [("few items",)]
    assert reasons(item_claim("P36", "Q90"), counted=20_000) == [()]


# Repeats


def test_a_value_in_another_unit_is_a_repeat_and_the_metric_one_is_kept():
    claims = [quantity_claim("P7", amount, unit) for amount, unit in (("+3760.4", "Q253276"), ("+6051.8", "Q828224"))]
    assert reasons(*claims) == [("repeated value",), ()]


def test_temperatures_are_compared_by_their_scales():
    claims = [
        quantity_claim("P8", amount, unit)
        for amount, unit in (("+212", "Q42289"), ("+100", "Q25267"), ("+0", "Q25267"))
    ]
    assert reasons(*claims) == [("repeated value",), (), ()]


def test_the_same_item_twice_is_a_repeat_and_two_counts_are_two():
    assert reasons(item_claim("P36", "Q90"), item_claim("P36", "Q90")) == [(), ("repeated value",)]
    assert reasons(quantity_claim("P9", "+1000"), quantity_claim("P9", "+1001")) == [(), ()]
    assert reasons(quantity_claim("P8", "-5", "Q25267"), quantity_claim("P8", "+5", "Q25267")) == [(), ()]


# Whole entities


def test_the_entities_keep_what_a_question_can_ask():
    kept = {}
    for item in ("Q275", "Q179", "Q153"):
        rows = filter_statements(read_item(entity_of(item)), read_statements(entity_of(item), entity_labels()))
        kept[item] = {(row.relation, row.text) for row in rows if row.kept}
    assert kept["Q275"] == {
        ("country", "United Kingdom"),
        ("coordinate location", "55.9984 N, 3.3876 W"),
        ("date of official opening", "4 March 1890"),
    }
    assert kept["Q179"] == {("first flight", "9 February 1969"), ("service entry", "22 January 1970")}
    assert {relation for relation, _ in kept["Q153"]} >= {"chemical formula", "melting point", "boiling point"}
    assert not any("NFPA" in relation or "GHS" in relation for relation, _ in kept["Q153"])
