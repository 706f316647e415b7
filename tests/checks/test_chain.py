"""Checks against cycles, shortcuts and detours."""

from dataclasses import replace

from filter_cases import BORDER, ISLES, case, decide, walk

from kbe_graph.checks.chain import Cycle, Detour, Shortcut
from kbe_graph.checks.check import CHAIN, FilterSettings, Row
from kbe_graph.store import CycleRow
from kbe_graph.types import IMAGE, Entity, Triplet


def test_an_object_that_the_chain_started_from_is_refused():
    assert decide(Cycle(walk()), BORDER).detail == "'Ireland' is in the chain"


def test_another_name_of_a_thing_in_the_chain_is_refused():
    candidate = case(BORDER)
    assert not Cycle(walk()).decide(replace(candidate, fact=replace(candidate.fact, object="Republic of Ireland"))).keep


def test_an_object_that_leads_back_in_the_graph_is_refused():
    barn = case(Row("What is the large animal?", "cow", "cow", "dwelling", "barn"))
    shed = replace(barn, fact=replace(barn.fact, object="shed"))
    asked = list[CycleRow]()

    def cycles(rows):
        asked.extend(rows)
        return ["cow", ""]

    decisions = Cycle(walk()).decide_in_graph([barn, shed], cycles)
    assert [row.object_key for row in asked] == ["barn", "shed"]
    assert [decision.detail for decision in decisions] == ["'barn' leads back to 'cow'", ""]
    assert [decision.keep for decision in decisions] == [False, True]


def test_a_kind_of_a_thing_in_the_chain_is_refused():
    row = Row("What animal is being milked?", "cow", "beef", "source animal", "cattle", path="cow > meat > beef")
    assert decide(Cycle(walk()), row).detail == "'cattle' is a kind of 'cow', or the reverse"


def test_an_object_that_the_start_leads_to_at_once_is_refused():
    assert decide(Shortcut(walk()), ISLES).detail == "'Ireland' leads to 'Europe' sooner"


def test_a_first_hop_is_no_shortcut_of_itself():
    row = Row("What country is that flag?", "Ireland", "Ireland", "continent", "Europe")
    assert decide(Shortcut(walk()), row).keep


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
