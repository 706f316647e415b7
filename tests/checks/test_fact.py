"""Checks of a fact by itself."""

from dataclasses import replace

import pytest
from filter_cases import case, decide, walk

from kbe_graph.checks import FilterSettings, Scheme, build_checks, choose_checks
from kbe_graph.checks.check import Row
from kbe_graph.checks.fact import Blocked, Duplicate, Functional, Generic
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.facts.pack import Pack, pack
from kbe_graph.facts.walk import Walk
from kbe_graph.types import Entity, Fact, Triplet


def fact(object_):
    return Row("What are they riding?", "horse", "horse", "relation", object_)


def test_what_is_near_the_top_is_refused() -> None:
    for broad in ["animal", "food", "person", "thing", "material", "language", "object"]:
        assert decide(Generic(FilterSettings()), fact(broad)).reason == "generic"


def test_what_says_something_is_kept() -> None:
    for narrow in ["foal", "milk", "ocean", "foot", "leather", "Europe", "Equidae"]:
        assert decide(Generic(FilterSettings()), fact(narrow)).keep


COW = Row("What is the large animal?", "cow", "cow", "dwelling", "barn")


def test_an_object_that_the_image_ties_to_the_answer_is_refused():
    candidate = case(COW)
    seen = Triplet(Entity("COW"), "stands beside", Entity("BARN"))
    tied = replace(candidate, graph=replace(candidate.graph, visual=(*candidate.graph.visual, seen)))
    assert Duplicate().decide(tied).reason == "duplicate"


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


GIRAFFE = Row("What animal is this?", "giraffe", "giraffe", "taxonomic family", "Giraffidae")


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


def test_what_is_typical_is_not_the_one_answer() -> None:
    for row in [
        Row("What is the person laying on?", "bed", "bed", "pest", "bedbug"),
        Row("What habitat is this?", "forest", "forest", "member", "tree"),
    ]:
        assert decide(Functional(walk()), row).reason == "functional"


SETTINGS = FilterSettings(blocked_relations=("young", "the Largest City"))
YOUNG = Blocked.refused


def test_a_fact_of_a_blocked_relation_is_refused() -> None:
    for relation in ["young", "Young", "largest city"]:
        assert decide(Blocked(SETTINGS), YOUNG._replace(relation=relation)).reason == "blocked relation"


@pytest.mark.parametrize("filters", ["all", "paper", "cycle"])
@pytest.mark.parametrize("facts_known", [True, False])
def test_it_holds_with_any_choice_of_checks_and_for_facts_that_a_model_proposes(filters, facts_known):
    fact = ProposedFact("", "giraffe", "young", "", "calf", "model")
    proposed = case(YOUNG) if facts_known else replace(case(YOUNG), fact=fact)
    scheme = Scheme(facts_known=facts_known, choice=choose_checks(filters, facts_known=facts_known))
    assert build_checks(pack(), SETTINGS, scheme).decide("fact", proposed).reason == "blocked relation"
