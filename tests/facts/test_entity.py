"""Entities of Wikidata, as the API and dumps write them, read into items and statements."""

from wikidata_entities import (
    entity,
    entity_labels,
    entity_of,
    item_claim,
    qualified,
    quantity_claim,
)

from kbe_graph.facts.wikidata.entity import (
    read_item,
    read_statements,
    time_text,
)

WHOLE = [f"Q{number}" for number in (1, 23, 31, 35, 42, 64, 144, 153, 160, 179, 220, 255, 275, 278, 313)]


def only(claim_, labels=None):
    """Return the one statement of an entity that has no other."""
    (statement,) = read_statements(entity(claim_), labels or {})
    return statement


def test_an_item_has_its_names_its_articles_and_its_kinds_of_best_rank_that_have_not_ended():
    bridge = read_item(entity_of("Q275"), {"Q158218": "truss bridge"}, source="a dump", fetched="2026-11-27")
    assert (bridge.label, bridge.aliases) == ("Forth Bridge", ("Forth Rail Bridge", "The Forth Bridge"))
    assert bridge.kinds == ("Q1429218", "Q12042110", "Q158218")
    assert (bridge.kind_labels, bridge.sitelinks) == (("", "", "truss bridge"), 40)
    claims = [
        item_claim("P31", "Q5", rank="deprecated"),
        item_claim("P31", "Q11", qualifiers=qualified("P582")),
        item_claim("P31", "Q12"),
        item_claim("P31", "Q12"),
    ]
    assert read_item(entity(*claims)).kinds == ("Q12",)


def test_all_statements_of_whole_entities_are_read_in_the_order_of_the_numbers_of_their_properties():
    statements = {item: read_statements(entity_of(item), entity_labels()) for item in WHOLE}
    for item in WHOLE:
        numbers = [int(row.property_id[1:]) for row in statements[item]]
        assert numbers == sorted(numbers), item
    assert sum(map(len, statements.values())) == 1_789
    area = next(row for row in statements["Q220"] if row.text == "1285 square kilometres")
    assert area.id.startswith("Q220$5df")
    assert (area.relation, area.datatype, area.kind, area.unit) == ("area", "quantity", "quantity", "square kilometre")
    assert (area.rank, area.best, area.current, area.kept) == ("normal", True, True, True)
    population = [row for row in statements["Q220"] if row.property_id == "P1082"]
    assert [row.text for row in population if row.best] == ["2864348"]
    names = {row.text for row in statements["Q144"] if row.property_id == "P1843"}
    assert ("Dog" in names, "Hond" in names) == (True, False)  # one of another language has no text
    unknown = next(row for row in statements["Q31"] if row.property_id == "P1589")
    absent = next(row for row in statements["Q153"] if row.property_id == "P877")
    assert [(row.kind, row.text, row.raw) for row in (unknown, absent)] == [("unknown", "", ""), ("none", "", "")]


def test_a_value_is_said_by_the_label_of_its_item_or_unit_and_not_at_all_without_one():
    labelled, bare = only(item_claim("P36", "Q90"), {"Q90": "Paris"}), only(item_claim("P36", "Q90"))
    assert [(row.target, row.text) for row in (labelled, bare)] == [("Q90", "Paris"), ("Q90", "")]
    row = only(quantity_claim("P2054", "+0.79", "Q844211"))
    assert (row.text, row.unit, '"amount":"+0.79"' in row.raw) == ("", "", True)


def test_a_statement_is_current_unless_it_ended_or_is_narrowed_down():
    for limit in ["P582", "P518", "P585"]:
        for snaktype, current in [("value", False), ("somevalue", False), ("novalue", True)]:
            row = only(item_claim("P17", "Q2", qualifiers=qualified(limit, snaktype)))
            assert row.current is current, (limit, snaktype)


# Values in words


def test_a_time_is_said_at_its_precision():
    for time, precision, text in [
        ("+1890-03-04T12:30:00Z", 14, "4 March 1890"),
        ("+1890-03-04T00:00:00Z", 10, "March 1890"),
        ("+1890-03-00T00:00:00Z", 11, "March 1890"),
        ("+1890-00-00T00:00:00Z", 11, "1890"),
        ("+1890-00-00T00:00:00Z", 8, ""),
        ("-0044-03-15T00:00:00Z", 11, "15 March 44 BCE"),
        ("+00000001890-03-04T00:00:00Z", 11, "4 March 1890"),
        ("+0000-00-00T00:00:00Z", 9, ""),
        ("once upon a time", 9, ""),
    ]:
        assert time_text(time, precision) == text, (time, precision, text)
