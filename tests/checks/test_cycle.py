from dataclasses import replace

from filter_cases import BORDER, case, decide, walk

from kbe_graph.checks.chain import Cycle
from kbe_graph.checks.check import Row
from kbe_graph.store import CycleRow


def test_an_object_that_the_chain_started_from_is_refused():
    assert decide(Cycle(walk()), BORDER).detail == "'Ireland' is in the chain"


def test_another_name_of_a_thing_in_the_chain_is_refused():
    candidate = case(BORDER)
    assert not Cycle(walk()).decide(replace(candidate, fact=replace(candidate.fact, object="Republic of Ireland"))).keep


def test_the_current_answer_is_refused_as_its_own_object():
    row = Row("What orange fruit is this?", "orange", "orange", "colour", "orange")
    assert not decide(Cycle(walk()), row).keep


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


def test_a_new_object_is_kept():
    assert decide(Cycle(walk()), BORDER._replace(relation="capital", object="London")).keep


def test_a_kind_of_a_thing_in_the_chain_is_refused():
    row = Row("What animal is being milked?", "cow", "beef", "source animal", "cattle", path="cow > meat > beef")
    assert decide(Cycle(walk()), row).detail == "'cattle' is a kind of 'cow', or the reverse"
