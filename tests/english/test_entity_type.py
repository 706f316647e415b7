"""The coarse type of an entity."""

from kbe_graph.english.words import entity_type


def test_the_concept_says_what_a_name_stands_for_else_its_commonest_sense() -> None:
    for name, concept, expected in [
        ("GIRAFFE", "", "animal"),
        ("CRANE", "wn30:02012849-n", "animal"),
        ("CRANE", "wn30:1", "artifact"),
        ("TOOLS", "", "artifact"),
        ("ITALY", "iso3166:ITA", "location"),
        ("XYZZY", "", ""),
    ]:
        assert entity_type(name, concept) == expected
