from dataclasses import replace

from filter_cases import case, decide

from kbe_graph.checks.check import Row
from kbe_graph.checks.fact import Duplicate
from kbe_graph.facts.grounding import ProposedFact
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


def test_another_relation_or_direction_of_a_model_is_no_duplicate():
    candidate = case(COW)
    fact = ProposedFact("", "cow", "sleeps in", "name:barn", "BARN", "model m")
    edges = {
        Triplet(Entity("COW"), "sleeps in", Entity("BARN")): False,
        Triplet(Entity("COW"), "is sleeping in", Entity("BARN")): False,
        Triplet(Entity("COW"), "stands beside", Entity("BARN")): True,
        Triplet(Entity("BARN"), "sleeps in", Entity("COW")): True,
    }
    for edge, keep in edges.items():
        graph = replace(candidate.graph, visual=(*candidate.graph.visual, edge))
        assert Duplicate().decide(replace(candidate, graph=graph, fact=fact)).keep == keep, edge.id
