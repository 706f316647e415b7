"""The coarse type of an entity."""

import pytest

from kbe_graph.english.kinds import entity_type


@pytest.mark.parametrize(
    ("name", "concept", "expected"),
    [
        ("GIRAFFE", "", "animal"),
        ("CRANE", "wn30:02012849-n", "animal"),
        ("CRANE", "wn30:1", "artifact"),
        ("TOOLS", "", "artifact"),
        ("ITALY", "iso3166:ITA", "location"),
        ("XYZZY", "", ""),
    ],
)
def test_the_concept_says_what_a_name_stands_for_else_its_commonest_sense(
    name: str, concept: str, expected: str
) -> None:
    assert entity_type(name, concept) == expected
