import pytest
from filter_cases import case

from kbe_graph.checks.detour import Detour
from kbe_graph.checks.row import Row


@pytest.mark.parametrize(
    ("bird", "family", "genus", "keeps"),
    [
        ("gull", "Laridae", "Larus", False),
        ("pigeon", "Columbidae", "Columba", False),
        ("sparrow", "Passeridae", "Passer", False),
        ("duck", "Anatidae", "Anas", False),
        ("goose", "Anatidae", "Anas", True),
        ("egret", "Ardeidae", "Ardea", True),
        ("eagle", "Accipitridae", "Accipiter", True),
        ("penguin", "Spheniscidae", "Spheniscus", True),
    ],
)
def test_a_family_leads_on_to_a_genus_that_is_not_the_birds_own(bird: str, family: str, genus: str, keeps: bool):
    row = Row("What bird is this?", family, family, "type genus", genus, path=f"{bird} > taxonomic family > {family}")
    assert Detour().decide(case(row)).keep is keeps
