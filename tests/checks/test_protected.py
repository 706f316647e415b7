from dataclasses import replace

from filter_cases import case, walk

from kbe_graph.checks.check import Row
from kbe_graph.checks.people import Protected
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.relation import Relation
from kbe_graph.facts.walk import Walk


def test_questions_for_protected_attributes_are_refused() -> None:
    for question in [
        "What nationality is the woman sitting on the stairs?",
        "What ethnicty is this man?",
        "What ethnic group do these people belong to?",
        "What religion holds these animals as sacred?",
        "What gender is the child?",
        "What is the race of the man or woman in this picture?",
        "Which age group of childrens love to play with this toy?",
    ]:
        assert Protected(walk()).decide(case(Row(question, "cow", "cow", "young", "calf"))).reason == "protected"


def test_words_that_only_look_alike_are_let_through() -> None:
    for question in [
        "A race involving a great many of these items would be called a what?",
        "What type of race is this?",
        "In what countries would you prepare this kind of ethnic food?",
        "What animal skin does this resemble?",
    ]:
        assert Protected(walk()).decide(case(Row(question, "cow", "cow", "young", "calf"))).keep


def test_answers_that_are_faiths_are_refused() -> None:
    for faith in ["Buddhism", "Christianity", "Roman Catholic Church"]:
        assert (
            not Protected(walk())
            .decide(case(Row("What does this statue stand for?", faith, faith, "young", "calf")))
            .keep
        )


def test_a_relation_that_the_pack_marks_is_refused():
    candidate = case(Row("Who is this?", "umpire", "umpire", "citizenship", "France"))
    marked = Walk(
        Pack((), {"citizenship": Relation("citizenship", ("the citizenship of {}",), "person", protected=True)})
    )
    assert Protected(walk()).decide(candidate).keep
    assert Protected(marked).decide(candidate).detail == "the relation 'citizenship' is protected"
    assert not Protected(marked).decide(replace(candidate, text="What is it?")).keep
