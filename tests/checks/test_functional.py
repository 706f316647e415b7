from dataclasses import replace

from filter_cases import case, decide, walk

from kbe_graph.checks.check import Row
from kbe_graph.checks.fact import Functional
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.walk import Walk
from kbe_graph.types import Fact

GIRAFFE = Row("What animal is this?", "giraffe", "giraffe", "taxonomic family", "Giraffidae")


def test_one_object_under_a_functional_relation_is_kept():
    assert decide(Functional(walk()), GIRAFFE).keep


def test_a_relation_that_the_pack_does_not_vouch_for_is_refused():
    row = Row("What country is this?", "Switzerland", "Switzerland", "neighbour", "Austria")
    assert decide(Functional(walk()), row).detail == "'neighbour' may have several objects"


def test_a_second_object_in_the_pack_is_several_answers():
    candidate = case(GIRAFFE)
    relations = {"taxonomic family": walk().pack.relations["taxonomic family"]}
    other = Fact(candidate.fact.subject_id, "giraffe", "taxonomic family", "ncbi:33554", "Canidae", "made up")
    both = Walk(Pack((candidate.fact, other), relations))
    assert Functional(both).decide(candidate).detail == "the pack gives Giraffidae, Canidae"
    rejected = Walk(Pack((candidate.fact, replace(other, review="rejected")), relations))
    assert Functional(rejected).decide(candidate).keep


def test_two_ids_of_one_name_are_one_object():
    candidate = case(GIRAFFE)
    relations = {"taxonomic family": walk().pack.relations["taxonomic family"]}
    same = replace(candidate.fact, object_id="wd:Q25329", object="giraffidae")
    assert Functional(Walk(Pack((candidate.fact, same), relations))).decide(candidate).keep


def test_a_fact_that_the_pack_does_not_hold_is_refused():
    assert not decide(Functional(walk()), GIRAFFE._replace(object="Canidae")).keep


def test_what_is_typical_is_not_the_one_answer() -> None:
    for row in [
        Row("What is the person laying on?", "bed", "bed", "pest", "bedbug"),
        Row("What habitat is this?", "forest", "forest", "member", "tree"),
    ]:
        assert decide(Functional(walk()), row).reason == "functional"
