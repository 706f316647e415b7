import pytest
from filter_cases import decide, walk

from kbe_graph.checks.row import Row
from kbe_graph.checks.together import Together, Unasked

TOGETHER, UNASKED = Together(walk().pack), Unasked(walk().pack)
ASTRAY = [
    ("tokyo > country > japan > longest river > Shinano River", "flows into", "Sea of Japan"),
    ("chow > country of origin > china > currency > yuan", "currency code", "CNY"),
    ("tai chi > country of origin > china", "calling code", "+86"),
]
ASKED = [
    ("rome > country > italy", "capital", "Rome"),
    ("london", "river", "Thames"),
    ("peru > currency > sol", "currency code", "PEN"),
]


def _keeps(path: str, relation: str, end: str) -> bool:
    answer = path.rpartition(" > ")[2]
    return decide(
        TOGETHER, Row("Where is this?", answer, answer, relation, end, path=path if " > " in path else "")
    ).keep


@pytest.mark.parametrize(("path", "relation", "end"), ASTRAY)
def test_a_relation_that_leads_astray_from_any_before_it_is_refused(path: str, relation: str, end: str):
    assert not _keeps(path, relation, end)


@pytest.mark.parametrize(("path", "relation", "end"), ASKED)
def test_a_relation_that_leads_on_passes(path: str, relation: str, end: str):
    assert _keeps(path, relation, end)


@pytest.mark.parametrize(
    ("called", "keeps"),
    [
        ("the animal these dolls depict", False),
        ("the stuffed animal in this image", False),
        ("the animal shown in the art on the wall", False),
        ("the animal that this baby is dressed as", False),
        ("the natural predator these animals are wary of", False),
        ("the animal that is depicted", True),
    ],
)
def test_only_what_is_there_has_a_family(called: str, keeps: bool):
    row = Row("What animal is this?", "bear", "bear", "taxonomic family", "Ursidae", called=called)
    assert decide(UNASKED, row).keep is keeps


@pytest.mark.parametrize(
    ("called", "keeps"),
    [("the juice in this image", False), ("this stuff", False), ("the choking hazard", False), ("this fruit", True)],
)
def test_what_is_made_of_a_plant_has_no_family(called: str, keeps: bool):
    row = Row("What is this?", "grapefruit", "grapefruit", "taxonomic family", "Rutaceae", called=called)
    assert decide(UNASKED, row).keep is keeps
