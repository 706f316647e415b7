from dataclasses import replace

from filter_cases import case, decide

from kbe_graph.checks.check import Row
from kbe_graph.checks.fact import Subject

GIRAFFE = Row("What animal is this?", "giraffe", "giraffe", "taxonomic family", "Giraffidae")


def test_a_fact_about_the_answer_is_kept():
    assert decide(Subject(), GIRAFFE).keep


def test_a_fact_about_another_concept_is_refused():
    decision = decide(Subject(), Row("What animal is this?", "giraffe", "zebra", "taxonomic family", "Equidae"))
    assert decision.detail == "'zebra' is not the answer 'giraffe'"


def test_an_answer_without_a_concept_is_compared_by_name():
    candidate = case(GIRAFFE)
    unlinked = replace(candidate, question=replace(candidate.question, concept=""))
    assert Subject().decide(unlinked).keep
    assert not Subject().decide(replace(unlinked, question=replace(unlinked.question, answer="zebra"))).keep
