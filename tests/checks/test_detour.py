from dataclasses import replace

from filter_cases import BORDER, case, decide, walk

from kbe_graph.checks.chain import Detour
from kbe_graph.checks.check import CHAIN, FilterSettings, Row
from kbe_graph.types import IMAGE, Entity, Triplet

DETOUR = Detour(walk(), FilterSettings())


def test_a_family_is_asked_once_unless_the_settings_share_it():
    family = walk().pack.relations["only neighbour"].family
    assert decide(DETOUR, BORDER).detail == f"a relation of {family!r} is in the chain"
    assert decide(Detour(walk(), FilterSettings(shared_families=(family,))), BORDER).keep


def test_what_an_image_shows_by_a_relation_called_as_a_family_is_no_detour():
    candidate = case(Row("What holiday is this?", "Christmas", "Christmas", "month", "December"))
    assert walk().pack.relations["month"].family == "time"
    scene = Entity("SCENE")
    seen = (Triplet(IMAGE, "depicts", scene), Triplet(scene, "time", candidate.question.end))
    assert DETOUR.decide(replace(candidate, question=replace(candidate.question, key=seen))).keep


def test_a_kind_of_thing_leads_to_one_place_and_a_place_goes_on():
    bagel = Row("What is it?", "Poland", "Poland", "capital", "Warsaw", path="bagel > country of origin > Poland")
    assert decide(DETOUR, bagel).detail == "'POLAND' is not what 'BAGEL' is about"
    tomato = bagel._replace(answer="South America", path="tomato > native continent > South America")
    assert not decide(DETOUR, tomato._replace(subject="South America", relation="longest river", object="Amazon")).keep
    assert decide(DETOUR, CHAIN).keep
