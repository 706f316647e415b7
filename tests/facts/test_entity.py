"""Entities of Wikidata, as the API and dumps write them, read into items and statements."""

import pytest
from wikidata_entities import (
    claim,
    entity,
    entity_labels,
    entity_of,
    item_claim,
    qualified,
    quantity_claim,
)

from kbe_graph.errors import DatasetError
from kbe_graph.facts.wikidata.entity import (
    english_label,
    named_ids,
    read_item,
    read_statements,
)

WHOLE = [f"Q{number}" for number in (1, 23, 31, 35, 42, 64, 144, 153, 160, 179, 220, 255, 275, 278, 313)]


def real(item):
    """Return the statements of an entity of the data folder by property and text."""
    return {(row.property_id, row.text): row for row in read_statements(entity_of(item), entity_labels())}


def only(claim_, labels=None):
    """Return the one statement of an entity that has no other."""
    (statement,) = read_statements(entity(claim_), labels or {})
    return statement


# Items


def test_an_item_has_its_names_its_kinds_and_its_articles():
    bridge = read_item(entity_of("Q275"), {"Q158218": "truss bridge"}, source="a dump", fetched="2026-11-27")
    assert (bridge.id, bridge.label, bridge.aliases) == (
        "Q275",
        "Forth Bridge",
        ("Forth Rail Bridge", "The Forth Bridge"),
    )
    assert bridge.kinds == ("Q1429218", "Q12042110", "Q158218")
    assert bridge.kind_labels == ("", "", "truss bridge")
    assert (bridge.sitelinks, bridge.source, bridge.fetched) == (40, "a dump", "2026-11-27")


def test_kinds_are_those_of_best_rank_that_have_not_ended():
    claims = [
        item_claim("P31", "Q5", rank="deprecated"),
        item_claim("P31", "Q11", qualifiers=qualified("P582")),
        item_claim("P31", "Q12"),
        item_claim("P31", "Q12"),
    ]
    assert read_item(entity(*claims)).kinds == ("Q12",)


def test_a_label_is_taken_in_english_else_in_what_stands_for_it():
    for languages, label in [
        (["en-gb", "en", "mul"], "en"),
        (["de", "en-gb", "mul"], "mul"),
        (["en-ca", "en-gb", "fr"], "en-gb"),
        (["en-ca"], "en-ca"),
        (["de"], ""),
    ]:
        labels = {language: {"language": language, "value": language} for language in languages}
        assert english_label({"id": "Q1", "labels": labels}) == label, (languages, label)


def test_a_broken_statement_is_refused():
    for claims, problem in [
        ({"P1": ["x"]}, "entity Q1: 'P1' holds 'x', which is not a statement"),
        ({"P1": [{"id": "Q1$a"}]}, "entity Q1: 'P1' holds "),
        ({"P1": [claim("P1", "x", rank="best")]}, "entity Q1: 'P1' holds "),
    ]:
        with pytest.raises(DatasetError, match=problem):
            read_statements({"id": "Q1", "claims": claims})


# Statements


def test_a_statement_has_its_relation_its_value_and_its_id():
    area = real("Q220")["P2046", "1285 square kilometres"]
    assert area.id.startswith("Q220$5df")
    assert (area.item, area.relation, area.datatype, area.kind) == ("Q220", "area", "quantity", "quantity")
    assert (area.unit, area.rank, area.best, area.current, area.kept) == (
        "square kilometre",
        "normal",
        True,
        True,
        True,
    )


def test_all_statements_are_read_in_the_order_of_the_numbers_of_their_properties():
    total = 0
    for item in WHOLE:
        statements = read_statements(entity_of(item))
        numbers = [int(row.property_id[1:]) for row in statements]
        assert numbers == sorted(numbers)
        total += len(statements)
    assert total == 1_789


def test_an_item_is_said_by_its_label_and_not_at_all_without_one():
    labelled, bare = only(item_claim("P36", "Q90"), {"Q90": "Paris"}), only(item_claim("P36", "Q90"))
    assert (labelled.target, labelled.text) == ("Q90", "Paris")
    assert (bare.target, bare.text, bare.relation) == ("Q90", "", "")


def test_an_unknown_value_and_no_value_have_no_text():
    unknown = next(row for row in read_statements(entity_of("Q31")) if row.property_id == "P1589")
    absent = next(row for row in read_statements(entity_of("Q153")) if row.property_id == "P877")
    assert (unknown.kind, unknown.text, unknown.raw) == ("unknown", "", "")
    assert (absent.kind, absent.text, absent.raw) == ("none", "", "")


def test_a_preferred_statement_leaves_no_other_at_the_best_rank():
    population = [row for row in read_statements(entity_of("Q220")) if row.property_id == "P1082"]
    assert len(population) > 10
    assert [row.text for row in population if row.best] == ["2864348"]


def test_a_statement_is_current_unless_it_ended_or_is_narrowed_down():
    for limit in ["P582", "P518", "P585"]:
        for snaktype, current in [("value", False), ("somevalue", False), ("novalue", True)]:
            assert only(item_claim("P17", "Q2", qualifiers=qualified(limit, snaktype))).current is current, (
                limit,
                snaktype,
                current,
            )


def test_a_text_is_said_in_the_wanted_language_alone():
    names = [row for row in read_statements(entity_of("Q144")) if row.property_id == "P1843"]
    assert "Dog" in {row.text for row in names}
    assert "Hond" not in {row.text for row in names}
    dutch = read_statements(entity_of("Q144"), language="af")
    assert "Hond" in {row.text for row in dutch if row.property_id == "P1843"}


def test_a_unit_without_a_label_leaves_no_text():
    row = only(quantity_claim("P2054", "+0.79", "Q844211"))
    assert (row.text, row.unit) == ("", "")
    assert '"amount":"+0.79"' in row.raw


def test_all_that_must_be_labelled_is_named():
    claims = [
        item_claim("P36", "Q90"),
        quantity_claim("P2043", "+1", "Q828224"),
        quantity_claim("P1082", "+5"),
        claim("P1589", snaktype="somevalue"),
    ]
    assert named_ids(entity(*claims)) == {"P36", "Q90", "P2043", "Q828224", "P1082", "P1589"}
