import pytest
from filter_cases import decide

from kbe_graph.checks.check import FilterSettings, Row
from kbe_graph.checks.people import Person, refused_person
from kbe_graph.english.wordnet import wordnet


def first(name):
    return wordnet().lookup(name).synsets[0].id


@pytest.mark.parametrize(
    "role",
    [
        "umpire",
        "chef",
        "catcher",
        "pilot",
        "surfer",
        "jockey",
        "cowboy",
        "lifeguard",
        "plumber",
        "doctor",
        "boxer",
        "snowboarder",
        "diver",
        "driver",
        "priest",
        "subscriber",
        "passenger",
    ],
)
def test_people_are_met_by_their_roles(role):
    assert not refused_person(first(role))


@pytest.mark.parametrize("name", ["Benjamin Franklin", "Serena Williams", "Monet", "Madonna", "Queen Elizabeth"])
def test_names_are_refused(name):
    assert refused_person(first(name))


@pytest.mark.parametrize(
    "group",
    [
        "italian",
        "asian",
        "caucasian",
        "hindu",
        "catholic",
        "rabbi",
        "woman",
        "boy",
        "toddler",
        "mother",
        "homeless",
    ],
)
def test_groups_by_birth_faith_sex_age_or_family_are_refused(group):
    assert refused_person(first(group))


@pytest.mark.parametrize("thing", ["giraffe", "pizza", "Italy", "baseball"])
def test_what_is_no_person_is_let_through(thing):
    assert not refused_person(first(thing))


def test_concepts_outside_wordnet_are_let_through():
    assert not refused_person("ncbi:9220")


def test_the_settings_name_relations_that_may_lead_to_a_name():
    row = Row("What is taking off?", "airplane", "airplane", "inventor", "Wright brothers")
    assert not decide(Person(FilterSettings()), row).keep
    assert decide(Person(FilterSettings(naming_relations=("inventor",))), row).keep
