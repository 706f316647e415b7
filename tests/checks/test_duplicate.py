from dataclasses import replace

from filter_cases import case, decide

from kbe_graph.checks.check import Row
from kbe_graph.checks.fact import Duplicate
from kbe_graph.types import Entity, Triplet

COW = Row("What is the large animal?", "cow", "cow", "dwelling", "barn")


def test_an_object_that_the_image_ties_to_the_answer_is_refused():
    candidate = case(COW)
    seen = Triplet(Entity("COW"), "stands beside", Entity("BARN"))
    tied = replace(candidate, graph=replace(candidate.graph, visual=(*candidate.graph.visual, seen)))
    assert Duplicate().decide(tied).reason == "duplicate"


def test_a_new_object_is_kept():
    assert decide(Duplicate(), COW).keep


def test_an_object_tied_to_another_thing_is_kept():
    candidate = case(COW)
    seen = Triplet(Entity("TRACTOR"), "stands beside", Entity("BARN"))
    elsewhere = replace(candidate, graph=replace(candidate.graph, visual=(*candidate.graph.visual, seen)))
    assert Duplicate().decide(elsewhere).keep
