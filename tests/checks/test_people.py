"""Checks of people, protected attributes, and questions that rules cannot ask on from."""

from dataclasses import replace

from filter_cases import case, decide, walk

from kbe_graph.checks.check import FilterSettings, Row
from kbe_graph.checks.people import Person, Protected, Readable, refused_person
from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.relation import Relation
from kbe_graph.facts.walk import Walk


def first(name):
    return wordnet().lookup(name).synsets[0].id


def test_people_are_met_by_their_roles() -> None:
    for role in ["umpire", "chef", "surfer", "cowboy", "doctor", "driver", "priest", "passenger"]:
        assert not refused_person(first(role))


def test_names_are_refused() -> None:
    for name in ["Benjamin Franklin", "Serena Williams", "Monet", "Madonna", "Queen Elizabeth"]:
        assert refused_person(first(name))


def test_groups_by_birth_faith_sex_age_or_family_are_refused() -> None:
    for group in ["italian", "hindu", "rabbi", "woman", "toddler", "mother", "homeless"]:
        assert refused_person(first(group))


def test_what_is_no_person_is_let_through() -> None:
    for thing in ["giraffe", "pizza", "Italy", "baseball"]:
        assert not refused_person(first(thing))


def test_the_settings_name_relations_that_may_lead_to_a_name():
    row = Row("What is taking off?", "airplane", "airplane", "inventor", "Wright brothers")
    assert not decide(Person(FilterSettings()), row).keep
    assert decide(Person(FilterSettings(naming_relations=("inventor",))), row).keep


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
    for question in ["What type of race is this?", "What animal skin does this resemble?"]:
        assert Protected(walk()).decide(case(Row(question, "cow", "cow", "young", "calf"))).keep


def test_a_relation_that_the_pack_marks_is_refused():
    candidate = case(Row("Who is this?", "umpire", "umpire", "citizenship", "France"))
    marked = Walk(
        Pack((), {"citizenship": Relation("citizenship", ("the citizenship of {}",), "person", protected=True)})
    )
    assert Protected(walk()).decide(candidate).keep
    assert Protected(marked).decide(candidate).detail == "the relation 'citizenship' is protected"
    assert not Protected(marked).decide(replace(candidate, text="What is it?")).keep


REFUSED = {
    "Is this animal dangerous?": "yes or no question",
    "Is this a fruit or a vegetable?": "either-or question",
    "Is this a dog or a cat?": "either-or question",
    "Are the objects decorative or useful?": "either-or question",
    "How do these animals keep cool?": "asks how or why",
    "Why is the man jumping?": "asks how or why",
    "This fork has how many prongs?": "asks how or why",
    "What is the purpose of the umbrellas?": "asks how or why",
    "This restricts an animals movement?": "an animals ",
    "What animal is chassing this sheep?": "chassing",
    "Look at this. What is it?": "several sentences",
}


def test_a_question_that_rules_cannot_ask_on_from_is_refused_with_what_is_wrong() -> None:
    for question, detail in REFUSED.items():
        decision = decide(Readable(), Row(question, "dog"))
        assert decision.reason == "not readable"
        assert decision.detail == detail
